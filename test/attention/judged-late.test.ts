import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { AttentionWorld, type Session } from "../world/attention-world.ts";
import { startMs } from "../world/delivery-world.ts";
import { readAllJournal } from "../world/home.ts";
import { ClaudeTranscript } from "../world/transcript.ts";

const shop: Session = { agent: "claude", id: "shop", pid: 4_100_000 };
/** Calls of tools by name: their tool and its input. */
const calls: Readonly<Record<string, readonly [tool: string, input: object]>> = {
  make: ["Bash", { command: "make" }],
  ls: ["Bash", { command: "ls" }],
  pwd: ["Bash", { command: "pwd" }],
  read: ["Read", { file_path: "/x/a.png" }],
  create: ["mcp__tracker__create_issue", { project: "SHOP" }],
  close: ["mcp__tracker__close_issue", {}],
};
const asked = (name: string) => ({ tool_name: calls[name]?.[0], tool_input: calls[name]?.[1] });

let world: AttentionWorld;
let transcript: ClaudeTranscript;
/** Last text with which the model ended a turn. */
let said: string;
beforeEach(() => start({}));

async function start(attention: object): Promise<void> {
  world = new AttentionWorld();
  await world.start({
    routes: [{ kinds: ["needs-you", "failed", "finished"], to: ["desk"] }],
    attention,
    lookups: ["transcript"],
  });
  transcript = new ClaudeTranscript(world);
  transcript.user("go");
  said = "Done.";
}

const ask = () => fire("Notification", { notification_type: "permission_prompt", message: "Claude needs permission" });
const stop = (more: object = {}) => fire("Stop", { last_assistant_message: said, ...more });
const fire = (event: string, payload: object) =>
  world.fire(shop, event, { ...payload, transcript_path: transcript.path });
const until = (seconds: number) => world.workUntil(startMs + seconds * 1000);
const rings = () => world.calls.map(({ atMs, verb }) => `${(atMs - startMs) / 1000} ${verb}`);

/** Finds the first line of the journal with a status. */
const findLine = (wanted: string) =>
  readAllJournal(join(world.root, "journal")).find(({ status }) => status === wanted);

const kimi: Session = { agent: "kimi", id: "api", pid: 4_200_000 };
const codex: Session = { agent: "codex", id: "web", pid: 4_300_000 };
/** Appends an event of the loop to Kimi Code's transcript, which records calls once they are answered. */
const kimiLine = (line: object) =>
  appendFileSync(transcript.path, `${JSON.stringify({ ...line, time: world.nowMs })}\n`);
const kimiEvent = (event: object) => kimiLine({ type: "context.append_loop_event", event });
const codexItem = (type: string, call_id: string) =>
  transcript.write({ type: "response_item", payload: { type, call_id, name: "any", output: "ok" } });
const qwen: Session = { agent: "qwen", id: "lib", pid: 4_400_000 };
/** Appends a part of a message to the transcript of one of Qwen Code's sub-agents. */
const qwenPart = (agent: string, type: string, part: object) =>
  transcript.subAgent(agent, "s1").write({ type, message: { parts: [part] } });

const questions: Readonly<Record<string, string>> = { crm: "Which customer?", tracker: "Which project?" };
const notify = (notification_type: string, message: string) => fire("Notification", { notification_type, message });
const old = { timestamp: "2023-11-01T00:00:00.000Z" };
/** Steps of a session, some with an argument: `calls:ls`. */
const steps: Readonly<Record<string, (arg: string) => unknown>> = {
  types: () => fire("UserPromptSubmit", { prompt: "go" }),
  prompt: () => transcript.user("go"),
  in: (entrypoint) => transcript.user("go", { entrypoint }),
  says(text) {
    said = text || said;
    transcript.says(said);
  },
  mate: () => transcript.user('<teammate-message teammate_id="ui">\nno findings\n</teammate-message>'),
  calls: (names) =>
    transcript.calls(Object.fromEntries(names.split(",").map((name) => [name, calls[name] ?? ["", {}]]))),
  result: (name) => transcript.result(name),
  asks: (name) => fire("PermissionRequest", asked(name)),
  notice: () => ask(),
  stop: (prompt_id) => stop(prompt_id === "" ? {} : { prompt_id }),
  "stop-by-hook": () => stop({ stop_hook_active: true }),
  "stop-sub-agent": () => stop({ background_tasks: [{ id: "a1", type: "subagent", status: "running" }] }),
  fails: () => fire("StopFailure", { error: "rate_limit" }),
  exit: () => fire("SessionEnd", { reason: "prompt_input_exit" }),
  seen: () => fire("Seen", {}),
  esc: () => transcript.user("[Request interrupted by user]"),
  clear: () => transcript.user("<command-name>/clear</command-name>"),
  meta: () => transcript.user("Stop hook feedback:\n[gate]: go on", { isMeta: true }),
  days: () => [transcript.user("go", old), transcript.write({ type: "assistant", message: { content: [] }, ...old })],
  look: () => {
    world.focused = shop;
  },
  broken: () => world.failing.set("phone", "rejected"),
  down: () => world.failing.set("desk", "unavailable"),
  up: () => world.failing.clear(),
  here: () => {
    world.presence = { idleMs: 0 };
  },
  key: () => world.typed.set(shop.pid, world.nowMs),
  idle: (prompt_id) =>
    fire("Notification", { notification_type: "idle_prompt", ...(prompt_id !== "" && { prompt_id }) }),
  launches: (id) => transcript.launches(id),
  "sub-asks": (agent_id) => fire("PermissionRequest", { ...asked("ls"), agent_id }),
  "sub-ends": (agent_id) => fire("SubagentStop", { agent_id }),
  "sub-calls": (id) => transcript.subAgent(id).calls({ x: ["Bash", { command: "ls" }] }),
  "sub-result": (id) => transcript.subAgent(id).result("x"),
  elicits: (server) => fire("Elicitation", { mcp_server_name: server, message: questions[server] }),
  "elicits-link": (server) =>
    fire("Elicitation", { mcp_server_name: server, message: "Sign in", mode: "url", elicitation_id: "e1" }),
  confirms: (server) => notify("elicitation_complete", `MCP server "${server}" confirmed elicitation e1 complete`),
  dialog: () => notify("elicitation_dialog", "Claude Code needs your input"),
  answers: (server) => notify("elicitation_response", server && `Elicitation response for server "${server}": accept`),
  "kimi-asks": (tool_call_id) =>
    world.fire(kimi, "PermissionRequest", { transcript_path: transcript.path, tool_call_id, ...asked("make") }),
  "kimi-allows": (toolCallId) => {
    kimiLine({ type: "permission.record_approval_result", toolCallId, result: { decision: "approved" } });
    kimiEvent({ type: "tool.call", toolCallId, name: "Bash", args: {} });
  },
  "kimi-result": (toolCallId) => kimiEvent({ type: "tool.result", toolCallId, result: {} }),
  "codex-calls": (id) => codexItem("function_call", id),
  "codex-result": (id) => codexItem("function_call_output", id),
  "codex-esc": () => transcript.write({ type: "event_msg", payload: { type: "turn_aborted", reason: "interrupted" } }),
  "codex-uses": (id) => codexItem("custom_tool_call", id),
  "codex-used": (id) => codexItem("custom_tool_call_output", id),
  "codex-asks": (agent) => {
    const payload = { ...asked("ls"), transcript_path: transcript.path, agent_id: agent || undefined };
    return world.fire(codex, "PermissionRequest", payload);
  },
  "qwen-calls": (agent) => qwenPart(agent, "assistant", { functionCall: { id: "1", name: "ls" } }),
  "qwen-result": (agent) => qwenPart(agent, "tool_result", { functionResponse: { id: "1", response: {} } }),
  "qwen-asks": (agent_id) => {
    const transcript_path = transcript.path.replace(".jsonl", "/chats/s1.jsonl");
    return world.fire(qwen, "PermissionRequest", { agent_id, tool_name: "ls", transcript_path });
  },
  work: () => world.work(),
  soon: () => steps["sleeps"]?.("0.01"),
  sleeps: (seconds) => {
    world.nowMs += Number(seconds) * 1000; // no worker runs meanwhile
  },
};
/** Plays steps in turn; `+20` lets 20 s pass, and `@20` the time until 20 s after the start. */
async function play(script: string): Promise<void> {
  for (const step of script.split(" ")) {
    const [name = "", arg = ""] = step.split(":");
    if (step.startsWith("+")) await world.workUntil(world.nowMs + Number(step) * 1000);
    else if (step.startsWith("@")) await until(Number(step.slice(1)));
    else await (steps[name] ?? expect.fail(`no step ${step}`))(arg);
  }
}

type Row = readonly [what: string, script: string, rings: readonly string[]];

test.each<[string, string, string, readonly string[]]>([
  ["a request of an app that embeds the agent waits and escalates", "sdk-ts", "Notification", ["2 ring", "8 ring"]],
  ["a request of a script waits and escalates", "sdk-py", "PermissionRequest", ["2 ring", "8 ring"]],
  ["a headless run's end is sent at once", "sdk-cli", "Stop", ["0 ring"]],
  ["a headless run's end is sent at once, under another program's variable", "sdk-ts", "Stop", ["0 ring"]],
  ["an editor's session ends like one in a terminal", "claude-vscode", "Stop", ["2 ring", "8 ring"]],
])("%s (%s, %s)", async (_, entrypoint, event, expected) => {
  await world.start({ routes: [{ to: ["desk"] }, { to: ["desk"], after: "8s" }], lookups: ["transcript"] });
  transcript.user("go", { entrypoint });
  if (event !== "Stop") await play("calls:ls");
  fire(event, event === "Stop" ? {} : { ...asked("ls"), notification_type: "permission_prompt" });
  await until(60);
  expect(rings()).toEqual(expected);
});

test("the journal says why a headless run's later messages are left out", async () => {
  await world.start({ routes: [{ to: ["desk"] }, { to: ["desk"], after: "8s" }], lookups: ["transcript"] });
  await play("in:sdk-cli stop @60");
  expect(findLine("skipped")).toMatchObject({ notifier: "desk", step: 1, reason: expect.stringContaining("watch") });
});

test("a headless run's failure is sent even if its only step comes later", async () => {
  await world.start({ routes: [{ to: ["desk"], after: "8s" }], lookups: ["transcript"] });
  await play("in:sdk-cli fails @60");
  expect(rings()).toEqual(["8 ring"]);
});

test.each<Row>([
  ["the end of a headless run that a person resumed is a person's", "in:sdk-cli in:cli stop @60", ["2 ring"]],
  ["the last of several refused ends is sent", "says stop @1 calls:ls result:ls @5 says stop-by-hook @60", ["7 ring"]],
  ["the same words are sent again after a refused end", "says stop @0.9 says stop @60", ["2 ring"]],
  ["a further reply to a mate is not sent, and the first stays", "mate says stop @4 mate says stop @60", ["2 ring"]],
  ["two replies to mates within the wait are sent once", "mate says stop @0.8 mate says stop @60", ["2 ring"]],
  [
    "a reply to a mate that asks is sent",
    "mate says stop @4 mate says:Which? stop @60",
    ["2 ring", "4 withdraw", "6 ring"],
  ],
  ["a failure after a reply to a mate is sent", "mate says stop @4 mate fails @60", ["2 ring", "4 withdraw", "6 ring"]],
  ["an old Esc does not silence a turn that a mate began", "prompt esc mate stop @60", ["2 ring"]],
  ["a running worker withdraws an end if work follows", "says stop @5 work calls:ls @6 work", ["2 ring", "5 withdraw"]],
  ["a request is open while one of its possible calls is", "calls:ls,read notice @0.5 result:read @9", ["2 ring"]],
  ["a request is not resolved by another call's result", "calls:ls,pwd asks:ls @0.5 result:pwd @30", ["2 ring"]],
  ["a request is resolved by its own call's result", "calls:ls,pwd asks:ls @0.5 result:ls @30", []],
  [
    "neither an earlier call's result nor mere growth ends a request",
    "calls:make result:make soon notice @0.3 meta @60",
    ["2.01 ring"],
  ],
  [
    "a granted call that runs for minutes rings, and the next call as well",
    "calls:make notice @300 result:make calls:ls soon notice @400",
    ["2 ring", "300.01 withdraw", "302.01 ring"],
  ],
  ["a sub-agent's request without its line is open", "calls:ls sub-asks:a1 @0.5 result:ls @5", ["2 ring"]],
  [
    "a sub-agent's request is resolved by its late line, and not by the main agent's end",
    "launches:a1 sub-asks:a1 @0.2 sub-calls:a1 @8 fails @9 sub-result:a1 @20",
    ["2 ring", "9 withdraw", "10 ring"],
  ],
  [
    "two sub-agents' requests for the same command ring twice",
    "sub-calls:a1 sub-calls:b2 sub-asks:a1 @0.4 sub-asks:b2 @9 sub-result:a1 @20",
    ["2 ring", "2.4 ring", "9 update"],
  ],
  ["two hooks of one sub-agent's request ring once", "sub-calls:a1 sub-asks:a1 @0.4 sub-asks:a1 @20", ["2 ring"]],
  [
    "a sub-agent's request ends with the sub-agent, not with another one",
    "sub-calls:a1 sub-asks:a1 @4 sub-ends:b2 @9 sub-ends:a1 @20",
    ["2 ring", "9 withdraw"],
  ],
  [
    "a request of a sub-agent from an earlier turn is open after the next turn's end",
    "launches:a1 prompt sub-calls:a1 sub-asks:a1 @4 says:Go? stop-sub-agent @20",
    ["2 ring", "6 ring"],
  ],
  [
    "a request ends with a turn that no hook reports",
    "codex-calls:1 soon codex-asks @9 codex-esc @20",
    ["2.01 ring", "9 withdraw"],
  ],
  ["a sub-agent's request does not end with Esc", "sub-calls:a1 sub-asks:a1 @9 esc @20", ["2 ring"]],
  ["a request ends with an interrupted turn", "calls:ls notice @4 esc stop @20", ["2 ring", "4 withdraw"]],
  [
    "a request that its agent repeats for what is left ends with that",
    "calls:ls,pwd notice @9 result:ls @12 notice @20 result:pwd @30",
    ["2 ring", "12 withdraw", "14 ring", "20 withdraw"],
  ],
  ["an end rings a minute after its sub-agent was stopped", "launches:a1 says stop @5 sub-ends:a1 @99", ["65 ring"]],
  ["an end waits for its sub-agent, not for another", "launches:a1 says stop @5 sub-ends:b2 @99", []],
  ["a request of Qwen Code's sub-agent ends at once", "qwen-calls:a qwen-asks:a @0.8 qwen-result:a @20", []],
  ["a request of Qwen Code's sub-agent rings", "qwen-calls:a qwen-asks:a @0.8 qwen-result:b @20", ["2 ring"]],
  ["a request of Codex's sub-agent ends at once", "codex-calls:1 soon codex-asks:a @0.8 codex-result:1 @20", []],
  ["a request of Codex's sub-agent rings", "codex-calls:1 soon codex-asks:a @0.8 codex-result:2 @20", ["2.01 ring"]],
  ["a question in a terminal waits", "in:cli elicits:crm @4 answers:crm @20 elicits:crm @60", ["28 ring"]],
  [
    "a second dialog with the same words as an answered one is sent once",
    "dialog @0.5 answers:crm @0.8 dialog @1.2 dialog @20",
    ["2.8 ring"],
  ],
  ["Kimi Code's call is withdrawn if allowed later", "kimi-asks:1 @30 kimi-allows:1 work", ["2 ring", "30 withdraw"]],
  [
    "Kimi Code's call is not allowed by an earlier permission, under the same or another id",
    "kimi-asks:1 @1 kimi-allows:1 kimi-result:1 @10 kimi-asks:2 @11 kimi-allows:3 @20 kimi-asks:1 @30",
    ["12 ring", "22 ring"],
  ],
  ["Kimi Code's call rings again a second later", "kimi-asks:1 @0.5 kimi-allows:1 @1 kimi-asks:2 @9", ["3 ring"]],
  [
    "Codex's call is not sent if it ends within the wait",
    "codex-calls:0 codex-result:0 codex-calls:1 soon codex-asks @1 codex-result:1 @60",
    [],
  ],
  [
    "Codex's call of a custom tool is not sent if it ends within the wait",
    "codex-calls:0 codex-result:0 codex-uses:1 soon codex-asks @1 codex-used:1 @60",
    [],
  ],
  [
    "Codex's request is open while one of two calls is",
    "codex-calls:1 codex-calls:2 soon codex-asks @1 codex-result:2 @9",
    ["2.01 ring"],
  ],
])("%s", async (_, script, expected) => {
  await play(script);
  expect(rings()).toEqual(expected);
});

test.each<Row>([
  ["the first judgement of an end is sent", "says stop @1 calls:ls @60", ["2 ring"]],
  ["an idle notice is an echo for a minute and a half", "stop @60 idle @100 idle @110", ["2 ring", "102 ring"]],
  ["a permission request at a terminal rings after two seconds", "in:cli calls:ls asks:ls +4 key +60", ["2 ring"]],
])("without `judgeLate`, %s", async (_, script, expected) => {
  await start({ judgeLate: false });
  await play(script);
  expect(rings()).toEqual(expected);
});

test.each(["soon", "@0.3", "@0.9", "@1.5", "@1.9"])("a request granted after %s is not sent", async (granted) => {
  for (const asks of ["notice", "asks:ls"]) {
    await start({});
    await play(`calls:ls ${asks} ${granted} result:ls @60`);
    expect(rings(), asks).toEqual([]);
    expect(findLine("resolved"), asks).toMatchObject({ resolvedBy: "result" });
  }
});

test.each(["soon", "@0.3", "@1.9"])(
  "Kimi Code's call allowed after %s is not sent, though it runs long",
  async (at) => {
    await play(`kimi-asks:1 ${at} kimi-allows:1 @300 kimi-result:1 @301`);
    expect(rings()).toEqual([]);
  },
);

/** Calls `ls` as the only thing that a sub-agent waits for. */
const startSubAgent = (id: string, folder?: string, isBackground = true): ClaudeTranscript => {
  if (isBackground) transcript.launches(id);
  else transcript.calls({ [`T${id}`]: ["Agent", { description: "look" }] });
  const agent = transcript.subAgent(id, folder);
  agent.calls({ [`x${id}`]: ["Bash", { command: "ls" }] });
  return agent;
};

describe.each(["notice", "sub-asks:a1"])("a sub-agent's request, by `%s`,", (asks) => {
  test.each([
    { is: "granted at once", folder: "", isBackground: true },
    { is: "granted in a folder below", folder: "workflows/w1", isBackground: true },
    { is: "granted in the foreground", folder: "", isBackground: false },
  ])("is not sent if $is, and withdrawn if later", async ({ folder, isBackground }) => {
    for (const [seconds, expected] of [
      [0, []],
      [0.5, []],
      [30, ["2 ring", "30 withdraw"]],
    ] as const) {
      await start({});
      const agent = startSubAgent("a1", folder, isBackground);
      await play(`${asks} ${seconds > 0 ? `@${seconds}` : "soon"}`);
      agent.result("xa1");
      await until(seconds + 30);
      expect(rings(), `${seconds} s`).toEqual(expected);
      expect(world.calls[0]?.body ?? "Bash: ls").toMatch(/Bash: ls$/);
    }
  });

  test.each<[string, () => void]>([
    ["another sub-agent", () => transcript.subAgent("b2").result("xb2")],
    ["another sub-agent for a call of the same id", () => transcript.subAgent("b2").result("xa1")],
    ["the main agent", () => transcript.result("ls")],
    ["the main agent for a call of the same id", () => transcript.result("xa1")],
  ])("is sent in spite of a result for %s", async (_, answer) => {
    startSubAgent("b2");
    startSubAgent("a1");
    await play("calls:ls");
    await play(`${asks} @0.5`);
    answer();
    await until(5);
    expect(rings()).toEqual(["2 ring"]);
  });
});

describe.each([700_000, 3_000_000])("a result of %i bytes", (bytes) => {
  const picture = `\\"\\u0000é${"A\\n".repeat(bytes / 3)}`;

  test("ends its own request, also if much follows", async () => {
    await play("calls:read notice @0.5");
    transcript.result("read", picture);
    for (let line = 0; line < 40; line += 1) transcript.write({ type: "progress", text: "x".repeat(50_000) });
    await until(30);
    expect(rings()).toEqual([]);
  });

  test("of another call leaves a request open", async () => {
    await play("calls:read,ls asks:ls @0.5");
    transcript.result("read", picture);
    await until(5);
    expect(rings()).toEqual(["2 ring"]);
  });

  test("shows that another hook refused the end of a turn, or that a turn before has ended", async () => {
    await play("calls:read");
    transcript.result("read", picture);
    await play("says stop @1 calls:create");
    transcript.result("create", picture);
    await play("@30 says stop @60");
    expect(rings()).toEqual(["32 ring"]);
  });
});

const bodies = () => world.calls.filter(({ verb }) => verb === "ring").map(({ body }) => body.split("\n").at(-1));

test("an MCP server's question is sent once with its server, though its call was allowed before", async () => {
  await play("calls:create notice @5 elicits:tracker @11 dialog @60");
  expect(bodies()).toEqual(["tracker · create issue: project SHOP", "tracker: Which project?"]);
  await play("result:create @61");
  expect(rings().at(-1)).toBe("60 withdraw");
});

test("a question that only its notification tells is sent beside the permission for its call, and with its own", async () => {
  await play("calls:create,close notice @8 dialog @60");
  expect(bodies()).toHaveLength(2);
});

test.each([
  ["its server", "answers:crm", "tracker: Which project?"],
  ["no server", "answers", "tracker: Which project?"],
  ["another server", "answers:tracker", "crm: Which customer?"],
  ["a server that does not ask", "answers:db", "crm: Which customer? · tracker: Which project?"],
])("an answer that names %s ends one dialog and no other", async (_, answers, left) => {
  await play(`elicits:crm @0.2 elicits:tracker @0.5 ${answers} @9`);
  expect(bodies().at(-1)).toBe(left);
});

test("the confirmation of one link leaves another question of the same server open", async () => {
  await play("elicits-link:crm @0.2 answers:crm @0.4 elicits:crm @0.6 confirms:crm @9");
  expect(bodies()).toEqual(["crm: Which customer?"]);
});

test("a prompt is journalled once its author is known", async () => {
  fire("UserPromptSubmit", { prompt: "go on", prompt_id: "p1" });
  await until(0.5);
  const prompts = () => readAllJournal(join(world.root, "journal")).filter(({ event }) => event === "Prompt");
  expect(prompts()).toEqual([]);
  transcript.user("go on", { promptId: "p1", isMeta: true });
  await until(3);
  expect(prompts()).toMatchObject([{ status: "accepted", reason: "the agent's own prompt, no person typed it" }]);
});

test.each([
  ["another Stop hook refused it", "calls:ls"],
  ["another Stop hook refused it, and text came", "says"],
])("an end after which the session goes on is not sent: %s", async (_, goesOn) => {
  await play(`says stop @0.4 meta @1 ${goesOn} @60`);
  expect(rings()).toEqual([]);
  expect(findLine("skipped")).toMatchObject({ reason: expect.stringMatching(/the session went on$/) });
});

test("a sent end is withdrawn once a request shows that another hook refused it", async () => {
  await play("says stop @200 calls:ls soon notice @201");
  expect(rings()).toEqual(["2 ring", "200.01 withdraw"]);
  expect(findLine("resolved")).toMatchObject({ event: "Stop", resolvedBy: "went on" });
});

test("only the first of several turns that just answer teammates is sent until the next prompt", async () => {
  const answerMate = async () => {
    world.nowMs += 60_000;
    transcript.user('<teammate-message teammate_id="ops">deployed</teammate-message>');
    transcript.says("Noted.");
    stop();
    await world.workUntil(world.nowMs + 10_000);
  };
  for (let turn = 0; turn < 3; turn += 1) await answerMate();
  expect(rings().filter((call) => call.endsWith("ring"))).toHaveLength(1);
  fire("UserPromptSubmit", { prompt: "and now?" });
  await world.workUntil(world.nowMs + 1_000);
  for (let turn = 0; turn < 3; turn += 1) await answerMate();
  expect(rings().filter((call) => call.endsWith("ring"))).toHaveLength(2);
});

test("a turn begun by a teammate is always sent if it did work", async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    world.nowMs += 60_000;
    transcript.user('<agent-message from="reviewer">fix main.ts</agent-message>');
    transcript.calls({ [`t${turn}`]: ["Edit", { file_path: "main.ts" }] });
    transcript.result(`t${turn}`);
    transcript.says("Fixed.");
    stop();
    await world.workUntil(world.nowMs + 10_000);
  }
  expect(rings().filter((call) => call.endsWith("ring"))).toHaveLength(3);
});

test("an end before a scheduled run names its time, and is sent like any other", async () => {
  const cron = { id: "c1", cron: "*/10 * * * *", prompt: "check the deploy" };
  stop({ session_crons: [cron] });
  await until(60);
  expect(world.calls.map(({ title }) => title)).toEqual([
    expect.stringMatching(/^shop · Claude Code: turn finished, next run (?:\d{4}-\d\d-\d\d )?\d\d:\d0$/),
  ]);
});

test("an unknown schedule is shown unchanged, and a broken schedule list changes nothing", async () => {
  stop({ session_crons: [{ cron: "whenever" }] });
  await until(60);
  stop({ session_crons: ["x", {}, { cron: 7 }] });
  await until(120);
  const titles = world.calls.filter(({ verb }) => verb === "ring").map(({ title }) => title);
  expect(titles).toEqual(["shop · Claude Code: turn finished, next run whenever", "shop · Claude Code is done"]);
});
const all = [{ to: ["desk"] }];
const quiet = { attention: { quiet: [{ at: "12:00-13:00", zone: "UTC", hold: ["finished", "needs-you"] }] } };
const atOnce = { attention: { wait: "0s" } };
const [now, later] = [{ to: ["desk"] }, { to: ["desk"], after: "5m" }];
const at5 = { routes: [later] };
const at0And5 = { routes: [now, { ...later, repeat: { every: "5m", times: 2 } }] };
const at5AndAway = { routes: [later, { ...later, after: "10m", when: "away" }] };

test.each<[string, object, string, readonly string[]]>([
  ["an end in quiet hours after which work followed is silent", quiet, "says stop @600 calls:ls @4000", []],
  ["an end in quiet hours rings after them", quiet, "says stop @4000", ["3600 ring"]],
  ["a request answered before its time is silent", at5, "calls:ls notice @9 sleeps:9 result:ls sleeps:600 @700", []],
  ["a request still open at its route's time rings", at5, "calls:ls notice @9 sleeps:609 @700", ["618 ring"]],
  ["one answered before a retry is silent", atOnce, "down calls:ls notice @3 up sleeps:9 result:ls sleeps:50 @99", []],
  ["a request still open at a retry rings", atOnce, "down calls:ls notice @3 up sleeps:59 @99", ["62 ring"]],
  ["one answered before the worker came is silent", {}, "calls:ls notice sleeps:9 result:ls sleeps:600 @700", []],
  ["a request rings if it is open when the worker comes", {}, "calls:ls notice sleeps:609 @700", ["609 ring"]],
  ["an end is silent if work followed before the worker came", {}, "says stop sleeps:9 calls:ls sleeps:600 @700", []],
  ["an end rings when the worker comes", {}, "says stop sleeps:609 @700", ["609 ring"]],
  ["an end whose last line comes late rings", {}, "stop sleeps:1 says sleeps:5 @60", ["6 ring"]],
  ["messages ring at their times", at0And5, "calls:ls notice @800", ["2 ring", "300 ring", "600 ring"]],
  ["messages that are late together ring once", at0And5, "calls:ls notice sleeps:720 @800", ["720 ring"]],
  ["a retry is silent beside a later one", at0And5, "down calls:ls notice @50 up sleeps:300 @500", ["350 ring"]],
  ["one for while you are away replaces none", at5AndAway, "here calls:ls notice @1 sleeps:720 @900", ["721 ring"]],
])("%s", async (_, settings, script, expected) => {
  await world.start({ lookups: ["transcript"], routes: all, ...settings });
  await play(script);
  expect(rings()).toEqual(expected);
});

const noEnds = [{ kinds: ["needs-you"], to: ["desk"] }];
const endsTo = (notifier: string) => [...noEnds, { kinds: ["finished"], to: [notifier] }];
const finishes = "types prompt +5 says stop";

test.each<[string, string, object, readonly (string | number)[]]>([
  ["sent", finishes, {}, ["desk: done", 3]],
  ["in a turn shorter than `minTurn`", finishes, { attention: { minTurn: "30s" } }, [3]],
  ["below a route's `minTurn`", finishes, { routes: [...noEnds, { minTurn: "30s", to: ["desk"] }] }, [3]],
  ["watched", `look ${finishes}`, {}, [3]],
  ["held by quiet hours", finishes, { attention: { quiet: "00:00-23:59" } }, [3]],
  ["seen in quiet hours", `${finishes} +5 seen`, { attention: { quiet: "00:00-23:59" } }, [3]],
  ["interrupted by the user", "types prompt esc stop", {}, [4]],
  ["postponed for a sub-agent", "types prompt says stop-sub-agent", {}, ["desk: done", 3]],
  ["sent to programs alone, like the notice", finishes, { routes: [{ to: ["team"] }] }, ["team: done", 3]],
  ["without a route", finishes, { routes: noEnds }, ["desk: needs you", 2]],
  ["sent to a team", finishes, { routes: endsTo("team") }, ["team: done", "desk: needs you", 2]],
  ["that failed", `broken ${finishes}`, { routes: endsTo("phone") }, ["desk: needs you", 2]],
  [
    "that failed, of a program's session, which gets no later message",
    `broken in:sdk-ts ${finishes}`,
    { routes: [...endsTo("phone"), { kinds: ["finished"], to: ["phone"], after: "1h" }] },
    ["desk: needs you", 2],
  ],
  ["that never came", "types prompt says", {}, ["desk: needs you", 2]],
  ["before another prompt", `${finishes} +20 types prompt says`, {}, ["desk: done", "desk: needs you", 2]],
  ["before more work", `${finishes} +20 calls:ls`, {}, ["desk: done", "desk: needs you", 2]],
  ["of another prompt", `${finishes}:p1 +20 idle:p2`, {}, ["desk: done", "desk: needs you", 3]],
  [
    "of its prompt, though another was typed",
    `${finishes}:p1 +5 types prompt +1 idle:p1 says stop`,
    {},
    ["desk: done", "desk: done", 4],
  ],
  ["that the user interrupted", "types prompt calls:ls +5 esc", {}, [3]],
  ["before an Esc in another turn", "prompt calls:ls +5 esc +20 types prompt says", {}, ["desk: needs you", 2]],
  ["before an Esc and a prompt without a line", "prompt calls:ls +5 esc +20 types", {}, ["desk: needs you", 2]],
  ["of a session that ran a command", "clear", {}, [3]],
  ["of a session without a transcript", "", {}, [3]],
  ["of a session resumed after days", "days", {}, [3]],
  ["of a session resumed after its exit", `${finishes} +5 exit`, { routes: noEnds }, [3]],
])("the end of a turn %s, and idle notices after minutes", async (_, script, settings, expected) => {
  await world.start({ lookups: ["transcript"], routes: all, ...settings });
  transcript = new ClaudeTranscript(world);
  await play(`${script} +60 idle +60 idle +900 idle +200`.trim());
  const calls = world.calls.filter(({ verb }) => verb === "ring");
  const rung = calls.map(({ notifier, title }) => `${notifier}: ${/done|needs you/.exec(title)?.[0]}`);
  const reasons = readAllJournal(join(world.root, "journal")).map(({ reason = "" }) => reason);
  const own = /^an echo of (?:its turn's end|the idle notice)|^no turn has begun|^the user interrupted/;
  expect([...rung, reasons.filter((reason) => own.test(reason)).length]).toEqual(expected);
});

test.each<[string, string, string, readonly string[]]>([
  ["left alone rings once, by the agent's own notice", "cli", "calls:ls asks:ls +6 notice +60", ["8 ls"]],
  ["without a notice rings after eight seconds", "cli", "calls:ls asks:ls +60", ["8 ls"]],
  ["answered after 4 s is silent", "cli", "calls:ls asks:ls +4 key result:ls +60", []],
  ["granted after 4 s is silent while its call runs", "cli", "calls:ls asks:ls +4 key +60 result:ls +60", []],
  ["stopped after 4 s is silent", "cli", "calls:ls asks:ls +4 types +60", []],
  ["left after a key rings by a late notice", "cli", "calls:ls asks:ls +4 key +8 notice +60", ["14 ls"]],
  ["beside an answered one stays", "cli", "calls:ls asks:ls +1 calls:pwd asks:pwd +3 key result:ls +60", ["9 pwd"]],
  [
    "beside one that was granted by the key stays",
    "cli",
    "calls:ls calls:pwd asks:ls asks:pwd +4 key +1 result:ls +60",
    ["8 pwd"],
  ],
  ["in an editor rings after two seconds, once", "claude-vscode", "calls:ls asks:ls +6 notice +60", ["2 ls"]],
  ["in an app rings after two seconds", "sdk-ts", "calls:ls asks:ls +60", ["2 ls"]],
])("a permission request %s (%s)", async (_, entrypoint, script, expected) => {
  await start({ watching: { "needs-you": "ring" } });
  transcript.user("go", { entrypoint });
  await play(script);
  const calls = world.calls.filter(({ verb }) => verb === "ring");
  expect(calls.map(({ atMs, body }) => `${(atMs - startMs) / 1000} ${/ls|pwd/.exec(body)?.[0]}`)).toEqual(expected);
});
