import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { AttentionWorld, type Session } from "../world/attention-world.ts";
import { startMs } from "../world/delivery-world.ts";
import { readAllJournal } from "../world/home.ts";
import { ClaudeTranscript } from "../world/transcript.ts";

const shop: Session = { agent: "claude", id: "shop", pid: 4_100_000 };
const ls = { tool_name: "Bash", tool_input: { command: "ls" } };

let world: AttentionWorld;
let transcript: ClaudeTranscript;
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
}

const ask = () => fire("Notification", { notification_type: "permission_prompt", message: "Claude needs permission" });
const stop = (more: object = {}) => fire("Stop", { last_assistant_message: "Done.", ...more });
const fire = (event: string, payload: object) =>
  world.fire(shop, event, { ...payload, transcript_path: transcript.path });
const until = (seconds: number) => world.workUntil(startMs + seconds * 1000);
const rings = () => world.calls.map(({ atMs, verb }) => `${(atMs - startMs) / 1000} ${verb}`);

test.each<[string, string, string, readonly string[]]>([
  ["a request of an app that embeds the agent waits and escalates", "sdk-ts", "Notification", ["2 ring", "8 ring"]],
  ["a request of a script waits and escalates", "sdk-py", "PermissionRequest", ["2 ring", "8 ring"]],
  ["a headless run's end is sent at once", "sdk-cli", "Stop", ["0 ring"]],
  ["a headless run's end is sent at once, under another program's variable", "sdk-ts", "Stop", ["0 ring"]],
  ["an editor's session ends like one in a terminal", "claude-vscode", "Stop", ["2 ring", "8 ring"]],
])("%s (%s, %s)", async (_, entrypoint, event, expected) => {
  await world.start({ routes: [{ to: ["desk"] }, { to: ["desk"], after: "8s" }], lookups: ["transcript"] });
  transcript.user("go", { entrypoint });
  if (event !== "Stop") transcript.calls({ t1: ["Bash", { command: "ls" }] });
  fire(event, event === "Stop" ? {} : { ...ls, notification_type: "permission_prompt" });
  await until(60);
  expect(rings()).toEqual(expected);
});

test("a session that a person resumed after a headless run is a person's", async () => {
  transcript.user("go", { entrypoint: "sdk-cli" });
  transcript.user("and now?", { entrypoint: "cli" });
  stop();
  await until(60);
  expect(rings()).toEqual(["2 ring"]);
});

test.each([0, 0.3, 0.9, 1.5, 1.9])("a request granted after %f s is not sent", async (seconds) => {
  for (const event of ["Notification", "PermissionRequest"]) {
    await start({});
    transcript.calls({ t1: ["Bash", { command: "ls" }] });
    if (event === "Notification") ask();
    else fire("PermissionRequest", ls);
    if (seconds > 0) await until(seconds);
    else world.nowMs += 1; // the worker is cold: at its first scan the call has its result
    transcript.result("t1");
    await until(60);
    expect(rings(), event).toEqual([]);
    const resolved = readAllJournal(join(world.root, "journal")).find(({ status }) => status === "resolved");
    expect(resolved, event).toMatchObject({ resolvedBy: "result" });
  }
});

type Asks = (agent: string, more?: object) => void;
const asks: Readonly<Record<string, Asks>> = {
  Notification: () => ask(),
  PermissionRequest: (agent, more = {}) => fire("PermissionRequest", { ...ls, agent_id: agent, ...more }),
};
/** Calls `ls` as the only thing that a sub-agent waits for. */
const startSubAgent = (id: string, folder?: string, isBackground = true): ClaudeTranscript => {
  if (isBackground) transcript.launches(id);
  else transcript.calls({ [`T${id}`]: ["Agent", { description: "look" }] });
  const agent = transcript.subAgent(id, folder);
  agent.calls({ [`x${id}`]: ["Bash", { command: "ls" }] });
  return agent;
};

describe.each(Object.entries(asks))("a sub-agent's request, as a %s,", (_, askAs) => {
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
      askAs("a1");
      if (seconds > 0) await until(seconds);
      else world.nowMs += 1;
      agent.result("xa1");
      await until(seconds + 30);
      expect(rings(), `${seconds} s`).toEqual(expected);
      expect(world.calls[0]?.body ?? "Bash: ls").toMatch(/Bash: ls$/);
    }
  });

  test.each<[string, () => void]>([
    ["another sub-agent", () => transcript.subAgent("b2").result("xb2")],
    ["another sub-agent for a call of the same id", () => transcript.subAgent("b2").result("xa1")],
    ["the main agent", () => transcript.result("m1")],
    ["the main agent for a call of the same id", () => transcript.result("xa1")],
  ])("is sent in spite of a result for %s", async (_, answer) => {
    startSubAgent("b2");
    startSubAgent("a1");
    transcript.calls({ m1: ["Bash", { command: "ls" }] });
    askAs("a1");
    await until(0.5);
    answer();
    await until(5);
    expect(rings()).toEqual(["2 ring"]);
  });
});

test("a sub-agent's request without its line is sent in spite of the main agent's result for the same command", async () => {
  transcript.calls({ m1: ["Bash", { command: "ls" }] });
  asks["PermissionRequest"]?.("a1");
  await until(0.5);
  transcript.result("m1");
  await until(5);
  expect(rings()).toEqual(["2 ring"]);
});

test("a sub-agent's request whose line comes late is resolved by it, and the main agent's end leaves it open", async () => {
  transcript.launches("a1");
  asks["PermissionRequest"]?.("a1");
  await until(0.2);
  const agent = transcript.subAgent("a1");
  agent.calls({ xa1: ["Bash", { command: "ls" }] });
  await until(8);
  fire("StopFailure", { error: "rate_limit" });
  await until(9);
  expect(rings()).not.toContain("8 withdraw");
  agent.result("xa1");
  await until(20);
  expect(rings()).toContain("9 withdraw");
});

describe.each([700_000, 3_000_000])("a result of %i bytes", (bytes) => {
  const picture = `\\"\\u0000é${"A\\n".repeat(bytes / 3)}`;

  test("ends its own request, also if much follows", async () => {
    transcript.calls({ t1: ["Read", { file_path: "/x/a.png" }] });
    ask();
    await until(0.5);
    transcript.result("t1", picture);
    for (let line = 0; line < 40; line += 1) transcript.write({ type: "progress", text: "x".repeat(50_000) });
    await until(30);
    expect(rings()).toEqual([]);
  });

  test("of another call leaves a request open", async () => {
    transcript.calls({ t1: ["Read", { file_path: "/x/a.png" }], t2: ["Bash", { command: "ls" }] });
    fire("PermissionRequest", ls);
    await until(0.5);
    transcript.result("t1", picture);
    await until(5);
    expect(rings()).toEqual(["2 ring"]);
  });

  test("shows that another hook refused the end of a turn, or that a turn before has ended", async () => {
    transcript.calls({ t0: ["Read", { file_path: "/x/b.png" }] });
    transcript.result("t0", picture);
    transcript.says("iteration one");
    stop();
    await until(1);
    transcript.calls({ t1: ["Read", { file_path: "/x/a.png" }] });
    transcript.result("t1", picture);
    await until(30);
    transcript.says("iteration two");
    stop();
    await until(60);
    expect(rings()).toEqual(["32 ring"]);
  });
});

const dialog = { notification_type: "elicitation_dialog", message: "Claude Code needs your input" };
const answered = (server: string) => ({
  ...{ notification_type: "elicitation_response", message: `Elicitation response for server "${server}": accept` },
});
const elicit = (server: string, message: string, more: object = {}) =>
  fire("Elicitation", { mcp_server_name: server, message, ...more });
const bodies = () => world.calls.filter(({ verb }) => verb === "ring").map(({ body }) => body.split("\n").at(-1));

test("an MCP server's question is sent once with its server, though its call was allowed before", async () => {
  transcript.calls({ t1: ["mcp__tracker__create_issue", { project: "SHOP" }] });
  ask();
  await until(5);
  elicit("tracker", "Which environment?");
  await until(11);
  fire("Notification", dialog);
  await until(60);
  expect(bodies()).toEqual(["tracker · create issue: project SHOP", "tracker: Which environment?"]);
  transcript.result("t1");
  await until(61);
  expect(rings().at(-1)).toBe("60 withdraw");
});

test("a question that only its notification tells is sent beside the permission for its call, and with its own", async () => {
  transcript.calls({ t1: ["mcp__tracker__create_issue", {}], t2: ["mcp__tracker__close_issue", {}] });
  ask();
  await until(8);
  fire("Notification", dialog);
  await until(60);
  expect(bodies()).toHaveLength(2);
});

test("a question in a terminal is sent after eight seconds, unless it is answered before", async () => {
  transcript.user("go", { entrypoint: "cli" });
  elicit("tracker", "Which environment?");
  await until(4);
  fire("Notification", answered("tracker"));
  await until(20);
  elicit("tracker", "Which environment?");
  await until(60);
  expect(rings()).toEqual(["28 ring"]);
});

test.each<[string, () => void, string[]]>([
  ["its server", () => fire("Notification", answered("crm")), ["tracker: Which project?"]],
  [
    "no server",
    () => fire("Notification", { ...answered(""), message: "Elicitation response" }),
    ["tracker: Which project?"],
  ],
  ["another server", () => fire("Notification", answered("tracker")), ["crm: Which customer?"]],
  [
    "a server that does not ask",
    () => fire("Notification", answered("db")),
    ["crm: Which customer? · tracker: Which project?"],
  ],
])("an answer that names %s ends one dialog and no other", async (_, answer, left) => {
  elicit("crm", "Which customer?");
  await until(0.2);
  elicit("tracker", "Which project?");
  await until(0.5);
  answer();
  await until(9);
  expect(bodies().at(-1)).toBe(left[0]);
});

test("a second dialog with the same words as an answered one is sent once", async () => {
  fire("Notification", dialog);
  await until(0.5);
  fire("Notification", answered("crm"));
  await until(0.8);
  fire("Notification", dialog);
  await until(1.2);
  fire("Notification", dialog);
  await until(20);
  expect(rings()).toEqual(["2.8 ring"]);
});

test("the confirmation of one link leaves another question of the same server open", async () => {
  elicit("crm", "Sign in", { mode: "url", elicitation_id: "e1" });
  await until(0.2);
  fire("Notification", answered("crm"));
  await until(0.4);
  elicit("crm", "Which customer?");
  await until(0.6);
  const message = 'MCP server "crm" confirmed elicitation e1 complete';
  fire("Notification", { notification_type: "elicitation_complete", message });
  await until(9);
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

const kimi: Session = { agent: "kimi", id: "api", pid: 4_200_000 };
/** A line of Kimi Code's transcript, which records calls once they are answered. */
const kimiLine = (line: object) =>
  appendFileSync(transcript.path, `${JSON.stringify({ ...line, time: world.nowMs })}\n`);
const kimiAnswers = (decision: "approved" | "rejected", id = "c1") => {
  kimiLine({ type: "permission.record_approval_result", toolCallId: id, result: { decision } });
  kimiLine({ type: "context.append_loop_event", event: { type: "tool.call", toolCallId: id, name: "Bash", args: {} } });
};
const kimiResult = (id = "c1") =>
  kimiLine({ type: "context.append_loop_event", event: { type: "tool.result", toolCallId: id, result: {} } });
const kimiAsks = (id = "c1") =>
  world.fire(kimi, "PermissionRequest", {
    ...{ transcript_path: transcript.path, tool_call_id: id },
    ...{ tool_name: "Bash", tool_input: { command: "make" } },
  });

test.each([0, 0.3, 1.9])("a call that Kimi Code allows after %f s is not sent, however long it runs", async (s) => {
  kimiAsks();
  if (s > 0) await until(s);
  else world.nowMs += 1;
  kimiAnswers("approved");
  await until(300);
  kimiResult();
  await until(301);
  expect(rings()).toEqual([]);
});

test("a call that Kimi Code allows later is withdrawn at once", async () => {
  kimiAsks();
  await until(30);
  kimiAnswers("approved");
  await world.work();
  expect(rings()).toEqual(["2 ring", "30 withdraw"]);
});

test("earlier Kimi Code permissions, under the same or another id, leave a new request open", async () => {
  kimiAsks();
  await until(1);
  kimiAnswers("approved");
  kimiResult();
  await until(10);
  kimiAsks("c2");
  await until(11);
  kimiAnswers("approved", "c3");
  await until(20);
  kimiAsks("c1");
  await until(30);
  expect(rings()).toEqual(["12 ring", "22 ring"]);
});

test("a Kimi Code call that repeats the request of a second ago rings", async () => {
  kimiAsks();
  await until(0.5);
  kimiAnswers("approved");
  await until(1);
  kimiAsks("c2");
  await until(9);
  expect(rings()).toEqual(["3 ring"]);
});

const codex: Session = { agent: "codex", id: "web", pid: 4_300_000 };
const codexItem = (payload: object) => transcript.write({ type: "response_item", payload });
const codexCalls = (id: string) => codexItem({ type: "function_call", name: "exec_command", call_id: id });
const codexResult = (id: string) => codexItem({ type: "function_call_output", call_id: id, output: "ok" });

test.each(["function_call", "custom_tool_call"])("a Codex %s that ends within the wait is not sent", async (type) => {
  codexCalls("c0");
  codexResult("c0");
  codexItem({ type, name: "any", call_id: "c1" });
  world.nowMs += 50;
  world.fire(codex, "PermissionRequest", { ...ls, transcript_path: transcript.path });
  await until(1);
  codexItem({ type: `${type}_output`, call_id: "c1", output: "ok" });
  await until(60);
  expect(rings()).toEqual([]);
});

test("a Codex request stays open while one of two calls lacks a result", async () => {
  for (const id of ["c1", "c2"]) codexCalls(id);
  world.nowMs += 50;
  world.fire(codex, "PermissionRequest", { ...ls, transcript_path: transcript.path });
  await until(1);
  codexResult("c2");
  await until(9);
  expect(rings()).toEqual(["2.05 ring"]);
});

test("a request is matched to its own call by the payload's tool and input", async () => {
  transcript.calls({ t1: ["Bash", { command: "ls" }], t2: ["Bash", { command: "pwd" }] });
  fire("PermissionRequest", ls);
  await until(0.5);
  transcript.result("t2");
  await until(30);
  expect(rings()).toEqual(["2 ring"]);
  await start({});
  transcript.calls({ t1: ["Bash", { command: "ls" }], t2: ["Bash", { command: "pwd" }] });
  fire("PermissionRequest", ls);
  await until(0.5);
  transcript.result("t1");
  await until(30);
  expect(rings()).toEqual([]);
});

test("a request with several possible calls stays open while one lacks a result", async () => {
  transcript.calls({ t1: ["Bash", { command: "ls" }], t2: ["Read", { file_path: "/a" }] });
  ask();
  await until(0.5);
  transcript.result("t2");
  await until(9);
  expect(rings()).toEqual(["2 ring"]);
});

test("neither an earlier call's result nor mere growth ends a request", async () => {
  transcript.calls({ t0: ["Bash", { command: "make" }] });
  transcript.result("t0");
  world.nowMs += 10;
  ask();
  await until(0.3);
  transcript.user("a line of the program's", { isMeta: true });
  await until(60);
  expect(rings()).toHaveLength(1);
});

test("a granted call that runs for minutes rings, and again when the next call asks", async () => {
  transcript.calls({ t1: ["Bash", { command: "make" }] });
  ask();
  await until(300);
  transcript.result("t1");
  transcript.calls({ t2: ["Bash", { command: "make install" }] });
  world.nowMs += 10;
  ask();
  await until(400);
  expect(rings().filter((call) => call.endsWith("ring"))).toHaveLength(2);
});

test.each<[string, () => void]>([
  ["another Stop hook refused it", () => transcript.calls({ t1: ["Bash", { command: "npm test" }] })],
  ["another Stop hook refused it, and text came", () => transcript.says("Iteration two")],
  ["a teammate's message began a turn", () => transcript.says("Noted.")],
])("an end after which the session goes on is not sent: %s", async (_, goOn) => {
  transcript.says("iteration one");
  stop();
  await until(0.4);
  transcript.user("Stop hook feedback:\n[gate]: go on", { isMeta: true });
  await until(1);
  goOn();
  await until(60);
  expect(rings()).toEqual([]);
  const skipped = readAllJournal(join(world.root, "journal")).find(({ status }) => status === "skipped");
  expect(skipped).toMatchObject({ reason: expect.stringMatching(/the session went on$/) });
});

test("the last of several refused turn ends is sent, whatever `stop_hook_active` says", async () => {
  transcript.says("iteration one");
  stop();
  await until(1);
  transcript.calls({ t1: ["Bash", { command: "npm test" }] });
  transcript.result("t1");
  await until(5);
  transcript.says("All green.");
  stop({ stop_hook_active: true });
  await until(60);
  expect(rings()).toEqual(["7 ring"]);
});

test("the first judgement is sent if `judgeLate` is off", async () => {
  await start({ judgeLate: false });
  transcript.says("iteration one");
  stop();
  await until(1);
  transcript.calls({ t1: ["Bash", { command: "npm test" }] });
  await until(60);
  expect(rings()).toEqual(["2 ring"]);
});

test("a sent end is withdrawn once a request shows that another hook refused it", async () => {
  transcript.says("iteration one");
  stop();
  await until(200);
  transcript.calls({ t1: ["Bash", { command: "npm publish" }] });
  world.nowMs += 1;
  ask();
  await until(201);
  expect(rings()).toEqual(["2 ring", "200.001 withdraw"]);
  const resolved = readAllJournal(join(world.root, "journal")).find(({ status }) => status === "resolved");
  expect(resolved).toMatchObject({ event: "Stop", resolvedBy: "went on" });
});

test("a running worker withdraws a sent end when the transcript goes on", async () => {
  transcript.says("iteration one");
  stop();
  await until(5);
  await world.work();
  transcript.calls({ t1: ["Bash", { command: "npm test" }] });
  await until(6);
  await world.work();
  expect(rings()).toEqual(["2 ring", "5 withdraw"]);
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

const old = { timestamp: "2023-11-01T00:00:00.000Z" };
/** Steps of a session with idle notices; `+20` lets 20 s pass. */
const steps: Readonly<Record<string, () => void>> = {
  types: () => fire("UserPromptSubmit", { prompt: "go" }),
  prompt: () => transcript.user("go"),
  says: () => transcript.says("Done."),
  works: () => transcript.calls({ t1: ["Bash", { command: "ls" }] }),
  stop: () => stop(),
  "stop-p1": () => stop({ prompt_id: "p1" }),
  "stop-sub-agent": () => stop({ background_tasks: [{ id: "a1", type: "subagent", status: "running" }] }),
  exit: () => fire("SessionEnd", { reason: "prompt_input_exit" }),
  seen: () => fire("Seen", {}),
  esc: () => transcript.user("[Request interrupted by user]"),
  clear: () => transcript.user("<command-name>/clear</command-name>"),
  days: () => [transcript.user("go", old), transcript.write({ type: "assistant", message: { content: [] }, ...old })],
  look: () => {
    world.focused = shop;
  },
  broken: () => world.failing.add("phone"),
  "calls-1": () => transcript.calls({ t1: ["Bash", { command: "ls" }] }),
  "calls-2": () => transcript.calls({ t2: ["Bash", { command: "pwd" }] }),
  "asks-1": () => fire("PermissionRequest", ls),
  "asks-2": () => fire("PermissionRequest", { ...ls, tool_input: { command: "pwd" } }),
  "result-1": () => transcript.result("t1"),
  "result-2": () => transcript.result("t2"),
  key: () => world.typed.set(shop.pid, world.nowMs),
  notice: () => ask(),
  idle: () => fire("Notification", { notification_type: "idle_prompt", message: "Claude is waiting" }),
  "idle-p1": () => fire("Notification", { notification_type: "idle_prompt", prompt_id: "p1" }),
  "idle-p2": () => fire("Notification", { notification_type: "idle_prompt", prompt_id: "p2" }),
};
async function play(script: string): Promise<void> {
  for (const step of script.split(" ")) {
    if (step.startsWith("+")) await world.workUntil(world.nowMs + Number(step) * 1000);
    else steps[step]?.();
  }
}

const all = [{ to: ["desk"] }];
const noEnds = [{ kinds: ["needs-you"], to: ["desk"] }];
const finishes = "types prompt +5 says stop";

test.each<[string, string, object, readonly (string | number)[]]>([
  ["sent", finishes, {}, ["desk: done", 3]],
  ["in a turn shorter than `minTurn`", finishes, { attention: { minTurn: "30s" } }, [3]],
  ["below a route's `minTurn`", finishes, { routes: [...noEnds, { minTurn: "30s", to: ["desk"] }] }, [3]],
  ["watched", `look ${finishes}`, {}, [3]],
  ["held by quiet hours", finishes, { attention: { quiet: "00:00-23:59" } }, [3]],
  ["seen in quiet hours", `${finishes} +5 seen`, { attention: { quiet: "00:00-23:59" } }, [3]],
  ["interrupted by the user", "types prompt esc stop", {}, [3]],
  ["postponed for a sub-agent", "types prompt says stop-sub-agent", {}, ["desk: done", 3]],
  ["sent to programs alone, like the notice", finishes, { routes: [{ to: ["team"] }] }, ["team: done", 3]],
  ["without a route", finishes, { routes: noEnds }, ["desk: needs you", 2]],
  [
    "sent to a team",
    finishes,
    { routes: [...noEnds, { kinds: ["finished"], to: ["team"] }] },
    ["team: done", "desk: needs you", 2],
  ],
  [
    "that failed",
    `broken ${finishes}`,
    { routes: [...noEnds, { kinds: ["finished"], to: ["phone"] }] },
    ["desk: needs you", 2],
  ],
  ["that never came", "types prompt says", {}, ["desk: needs you", 2]],
  ["before another prompt", `${finishes} +20 types prompt says`, {}, ["desk: done", "desk: needs you", 2]],
  ["before more work", `${finishes} +20 works`, {}, ["desk: done", "desk: needs you", 2]],
  ["of another prompt", `${finishes}-p1 +20 idle-p2`, {}, ["desk: done", "desk: needs you", 3]],
  [
    "of its prompt, though another was typed",
    `${finishes}-p1 +5 types prompt +1 idle-p1 says stop`,
    {},
    ["desk: done", "desk: done", 4],
  ],
  ["of a session that ran a command", "clear", {}, [3]],
  ["of a session without a transcript", "", {}, [3]],
  ["of a session resumed after days", "days", {}, [3]],
  ["of a session resumed after its exit", `${finishes} +5 exit`, { routes: noEnds }, [3]],
])("the end of a turn %s, and idle notices after minutes", async (_, script, settings, expected) => {
  await world.start({ lookups: ["transcript"], routes: all, ...settings });
  transcript = new ClaudeTranscript(world);
  await play(`${script} +60 idle +60 idle +900 idle +200`);
  const calls = world.calls.filter(({ verb }) => verb === "ring");
  const rung = calls.map(({ notifier, title }) => `${notifier}: ${/done|needs you/.exec(title)?.[0]}`);
  const reasons = readAllJournal(join(world.root, "journal")).map(({ reason = "" }) => reason);
  const own = /^an echo of (?:its turn's end|the idle notice)|^no turn has begun/;
  expect([...rung, reasons.filter((reason) => own.test(reason)).length]).toEqual(expected);
});

test("without `judgeLate`, an idle notice is an echo for a minute and a half", async () => {
  await start({ judgeLate: false });
  stop();
  await until(60);
  steps.idle?.();
  await until(100);
  expect(rings()).toEqual(["2 ring"]);
  steps.idle?.();
  await until(110);
  expect(rings()).toEqual(["2 ring", "102 ring"]);
});

test.each<[string, string, string, readonly string[]]>([
  ["left alone rings once, by the agent's own notice", "cli", "calls-1 asks-1 +6 notice +60", ["8 ls"]],
  ["without a notice rings after eight seconds", "cli", "calls-1 asks-1 +60", ["8 ls"]],
  ["answered after 4 s is silent", "cli", "calls-1 asks-1 +4 key result-1 +60", []],
  ["granted after 4 s is silent while its call runs", "cli", "calls-1 asks-1 +4 key +60 result-1 +60", []],
  ["stopped after 4 s is silent", "cli", "calls-1 asks-1 +4 types +60", []],
  ["left after a key rings by a late notice", "cli", "calls-1 asks-1 +4 key +8 notice +60", ["14 ls"]],
  ["beside an answered one stays", "cli", "calls-1 asks-1 +1 calls-2 asks-2 +3 key result-1 +60", ["9 pwd"]],
  [
    "beside one that was granted by the key stays",
    "cli",
    "calls-1 calls-2 asks-1 asks-2 +4 key +1 result-1 +60",
    ["8 pwd"],
  ],
  ["in an editor rings after two seconds, once", "claude-vscode", "calls-1 asks-1 +6 notice +60", ["2 ls"]],
  ["in an app rings after two seconds", "sdk-ts", "calls-1 asks-1 +60", ["2 ls"]],
])("a permission request %s (%s)", async (_, entrypoint, script, expected) => {
  await start({ watching: { "needs-you": "ring" } });
  transcript.user("go", { entrypoint });
  await play(script);
  const calls = world.calls.filter(({ verb }) => verb === "ring");
  expect(calls.map(({ atMs, body }) => `${(atMs - startMs) / 1000} ${/ls|pwd/.exec(body)?.[0]}`)).toEqual(expected);
});

test("without `judgeLate`, a permission request at a terminal rings after two seconds", async () => {
  await start({ judgeLate: false });
  transcript.user("go", { entrypoint: "cli" });
  await play("calls-1 asks-1 +4 key +60");
  expect(rings()[0]).toBe("2 ring");
});
