import childProcess from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { InstallableAgent } from "../../src/installer/agents/installable.ts";
import { parsed } from "../world/parsed.ts";
import { failToStart, findAgent, listKinds, loadModule, ringStarted, started } from "./started-hooks.ts";

const fixtures = join(import.meta.dirname, "../fixtures/plugin-events");
const [opencode, kilo] = [findAgent("opencode"), findAgent("kilo")];

const project = "/home/dev/shop";

/** Event as OpenCode gives it to a plugin. */
interface PluginEvent {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Loads the plugin as OpenCode does. */
async function loadPlugin(agent = opencode, events?: string[]) {
  const plugin = await loadModule(agent, events);
  return { plugin, hooks: await plugin.server({ directory: project }) };
}

function readEvent(path: string): PluginEvent {
  return JSON.parse(readFileSync(join(fixtures, `${path}.json`), "utf8"));
}

/** Moves an event to the session `ses_main`, or to the sub-agent's, and to other requests. */
function moved({ type, properties }: PluginEvent, asChild: boolean, round: string): PluginEvent {
  const text = JSON.stringify({ type, properties })
    .replaceAll(/"parentID":"ses_\w+"/g, '"parentID":"ses_main"')
    .replaceAll(/"(sessionID|id)":"ses_\w+"/g, `"$1":"${asChild ? "ses_child" : "ses_main"}"`)
    .replaceAll(/"(id|requestID|permissionID)":"(per|que)_\w+"/g, `"$1":"per_${round}"`)
    .replaceAll(/"(msg_\w+)"/g, `"$1_${round}"`);
  return JSON.parse(text);
}

const prompt = "message.updated-user message.part.updated-prompt";
const begin = `session.created ${prompt} session.status-busy session.updated-title`;
const done = "message.updated-assistant-done message.part.updated-text session.status-idle";
const answered = `${done} session.idle`;
const allowed = "permission.replied-once +2000";
const replied = "+3000 question.replied +2000";
const dismissed = "+3000 question.rejected message.updated-refused session.idle-refused";
const inChild = (steps: string) => steps.replaceAll(/\S+/g, "child:$&");
const again = (steps: string) => steps.replaceAll(/\S+/g, "$&#2");
const subAgent = `session.created-child ${inChild(`${prompt} session.status-busy`)}`;
const subAgentDone = "child:message.updated-assistant-done session.idle-child";
const idleTwice = "session.idle message.updated-error session.status-idle session.idle";

type Session = readonly [steps: string, rings: string, resolvedBy?: string | RegExp];
/**
 * Sessions by title: the files of the events, the expected rings in the form of `rings.ts`, and what resolved them.
 * `child:` moves an event to the sub-agent's session, `#2` moves it to a second request or turn, and `+100` waits for
 * 100 ms before the event.
 */
const sessions: Readonly<Record<string, Session>> = {
  "a finished turn": [`${begin} ${answered}`, "D"],
  "a finished turn without a terminal": [`${begin} ${done} session.idle-headless`, "D"],
  "a permission, allowed": [`${begin} permission.asked-bash +3000 ${allowed} ${answered}`, "ND", "result"],
  "a permission, refused": [
    `${begin} permission.asked-bash +3000 permission.replied-reject message.part.updated-tool-rejected
      message.updated-refused session.status-idle session.idle-refused`,
    "N",
    "result",
  ],
  "a permission without a terminal": [
    `${begin} permission.asked-headless +100 permission.replied-reject message.updated-refused session.idle-headless`,
    "F",
  ],
  "two permissions at once, allowed": [
    `${begin} permission.asked-bash +10 permission.asked-second-of-two#2 +4000
      permission.replied-once +2000 permission.replied-once#2 +2000 ${answered}`,
    "NND",
    "result result",
  ],
  "a question, answered": [`${begin} question.asked ${replied} ${answered}`, "ND", "result"],
  "a question, dismissed": [`${begin} question.asked ${dismissed}`, "N", "result"],
  "an error 401": [`${begin} session.error-401 ${idleTwice}`, "F"],
  "an error 400": [`${begin} session.error-400 ${idleTwice}`, "F"],
  "an error without a terminal": [`${begin} session.error-headless session.idle-headless`, "F"],
  "retries, interrupted": [
    `${begin} session.status-retry +30000 session.status-busy session.status-retry +31000
      session.status-retry +30000 session.status-retry message.updated-aborted-while-retrying session.idle`,
    "",
  ],
  "an interruption before the model was asked": [`${begin} message.updated-aborted session.idle`, ""],
  "an interruption while the model answers": [
    `${begin} session.error-aborted session.idle message.updated-aborted session.status-idle session.idle`,
    "",
  ],
  "a sub-agent": [`${begin} ${subAgent} +5000 ${subAgentDone} +1000 ${answered}`, "D"],
  "a sub-agent's permission": [
    `${begin} ${subAgent} child:permission.asked-child +3000 child:permission.replied-once +1000
      ${subAgentDone} +1000 ${answered}`,
    "ND",
    "result",
  ],
  "a sub-agent's error": [`${begin} ${subAgent} child:session.error-400 child:session.idle +1000 ${answered}`, "D"],
  "a conversation that is compacted": [
    `${begin} ${answered} +9000 message.updated-compaction message.part.updated-compaction
      message.updated-summary session.compacted session.idle message.updated-user`,
    "D",
    /^$/,
  ],
  "a closed terminal": [`${begin} message.updated-hangup session.idle dispose`, ""],
  "an exit": [`${begin} ${answered} +5000 dispose`, "D"],
  "two turns": [`${begin} ${answered} +9000 ${again(prompt)} session.status-busy ${again(answered)}`, "DD", "prompt"],
};

/** Sessions of Kilo, in the same form. */
const kiloDone = "kilo/session.idle kilo/session.drained";
const kiloSessions: typeof sessions = {
  "a permission": [`${begin} kilo/permission.asked-bash +3000 ${allowed} ${done} ${kiloDone}`, "ND", "result"],
  "a finished turn without a terminal": [`${begin} ${done} kilo/session.idle-headless kilo/session.drained`, "D"],
  "Kilo's own question": [`${begin} kilo/question.asked-slow-snapshot ${replied} ${answered}`, "ND", "result"],
  "an error 401": [`${begin} kilo/session.error-401 ${kiloDone}`, "F"],
  "an interruption": [`${begin} kilo/message.updated-aborted ${kiloDone}`, ""],
};

function runWithoutTerminal(args = "run a-prompt"): void {
  vi.spyOn(process, "argv", "get").mockReturnValue(["bun", "/$bunfs/app/src/index.js", ...args.split(" ")]);
}

/** Gives a session's events to the plugin, and the hooks that it starts to beckon. */
async function play(agent: InstallableAgent, text: string) {
  const steps = text.split(/\s+/);
  if (steps.some((step) => step.endsWith("-headless"))) runWithoutTerminal();
  const { hooks } = await loadPlugin(agent);
  for (const step of steps) {
    if (step.startsWith("+")) vi.advanceTimersByTime(Number(step));
    else if (step === "dispose") await hooks.dispose();
    else {
      const [, child, path = "", second] = /^(child:)?(.+?)(#2)?$/.exec(step) ?? [];
      const file = path.includes("/") ? path : `opencode/${path}`;
      const asChild = child !== undefined || path.endsWith("-child");
      await hooks.event({ event: moved(readEvent(file), asChild, second ? "second" : "first") });
      vi.advanceTimersByTime(2);
    }
  }
  return ringStarted(agent);
}

describe.each([
  ["OpenCode", opencode, sessions],
  ["Kilo CLI", kilo, kiloSessions],
] as const)("%s rings right", (_, agent, all) => {
  test.each(Object.entries(all))("for %s", async (_, [steps, expected, resolvedBy]) => {
    const { rings, journal } = await play(agent, steps);
    expect(listKinds(rings), JSON.stringify(rings)).toBe(expected);
    const resolutions = journal.filter(({ status }) => status === "resolved").map((line) => line.resolvedBy);
    expect(resolutions.join(" ")).toMatch(resolvedBy ?? /^(prompt|session end)?$/);
  });
});

test("every recorded event is in a session", () => {
  const used = [...Object.values(sessions), ...Object.values(kiloSessions)].flatMap(([steps]) => steps.split(/\s+/));
  const paths = new Set(used.map((step) => step.replace(/^child:|#2$/g, "").replace(/^(?!kilo\/)/, "opencode/")));
  const files = ["opencode", "kilo"].flatMap((folder) =>
    readdirSync(join(fixtures, folder)).map((name) => `${folder}/${name.replace(/\.json$/, "")}`),
  );
  expect(files.filter((file) => !paths.has(file) && !/\/(hook-|plugin-input)/.test(file))).toEqual([]);
});

const idle = (id = "ses_main") => ({ type: "session.idle", properties: { sessionID: id } });
const asked = (id: string, properties: object = {}) => ({
  type: "permission.asked",
  properties: { id, sessionID: "ses_main", permission: "bash", patterns: ["ls"], ...properties },
});

const ownParent = { id: "a", parentID: "a" };

describe("the plugin", () => {
  test("starts no process for the events that come for every part of an answer", async () => {
    const { hooks } = await loadPlugin();
    for (const type of ["message.part.delta", "plugin.added", "constructor", "__proto__"]) {
      await hooks.event({ event: { type, properties: { sessionID: "ses_main" } } });
    }
    expect(started).toEqual([]);
  });

  test.each([
    ["without properties", { type: "session.idle" }],
    ["with a null in place of its properties", { type: "message.updated", properties: null }],
    ["of a session that is its own parent", { type: "session.created", properties: { info: ownParent } }],
    ["with texts in place of objects", { type: "session.updated", properties: { info: "x", sessionID: 7 } }],
    ["that is null", null],
    ["whose type is an object", { type: {} }],
  ])("survives an event %s", async (_, event) => {
    const { hooks } = await loadPlugin();
    await expect(hooks.event({ event })).resolves.toBeUndefined();
    await hooks.event({ event: asked("per_1", { sessionID: "a" }) });
    await expect(hooks.dispose()).resolves.toBeUndefined();
  });

  test("survives a process that cannot be started", async () => {
    const { hooks } = await loadPlugin();
    failToStart();
    await expect(hooks.event({ event: asked("per_1") })).resolves.toBeUndefined();
  });

  test("starts a hook detached, with none of the agent's terminal", async () => {
    const { hooks } = await loadPlugin();
    await hooks.event({ event: asked("per_1") });
    expect(vi.mocked(childProcess.spawn).mock.calls).toEqual([
      ["permission.asked", { shell: true, detached: true, stdio: ["pipe", "ignore", "ignore"], windowsHide: true }],
    ]);
  });

  test("starts only the hooks of chosen events", async () => {
    const { hooks } = await loadPlugin(opencode, ["session.idle"]);
    await hooks.event({ event: asked("per_1") });
    await hooks.event({ event: idle() });
    expect(started.map(({ event }) => event)).toEqual(["session.idle"]);
  });

  test("reports a minute of retries once", async () => {
    const { hooks } = await loadPlugin();
    for (let seconds = 0; seconds <= 180; seconds += 30) {
      await hooks.event({ event: readEvent("opencode/session.status-retry") });
      vi.advanceTimersByTime(30_000);
    }
    expect(started.map(({ event: name, atMs }) => [name, atMs])).toEqual([["session.status", 60_000]]);
  });

  test("reports no text that only showed the progress", async () => {
    const { hooks } = await loadPlugin();
    const part = (id: string, text: string, more: object = {}) => ({
      type: "message.part.updated",
      properties: { sessionID: "ses_main", part: { id, messageID: "msg_1", type: "text", text, ...more } },
    });
    const info = { id: "msg_1", role: "assistant", finish: "stop" };
    await hooks.event({ event: { type: "message.updated", properties: { sessionID: "ses_main", info } } });
    await hooks.event({ event: part("prt_1", "All done.") });
    await hooks.event({ event: part("prt_2", "Initializing…") });
    await hooks.event({ event: part("prt_3", "Reminder", { synthetic: true }) });
    const removed = { sessionID: "ses_main", messageID: "msg_1", partID: "prt_2" };
    await hooks.event({ event: { type: "message.part.removed", properties: removed } });
    await hooks.event({ event: idle() });
    expect(started.map(({ input }) => input["answer"])).toEqual([{ id: "msg_1", finish: "stop", text: "All done." }]);
  });

  test("forgets the oldest of many sessions", async () => {
    const { hooks } = await loadPlugin();
    const type = "session.updated";
    const infoFor = (id: string) => ({ type, properties: { sessionID: id, info: { id, title: id } } });
    for (let index = 0; index <= 200; index += 1) await hooks.event({ event: infoFor(`ses_${index}`) });
    await hooks.event({ event: idle("ses_0") });
    await hooks.event({ event: idle("ses_200") });
    expect(started.map(({ input }) => input["title"])).toEqual([undefined, "ses_200"]);
  });

  test("starts one hook for each event if two copies are installed", async () => {
    const copies = [await loadPlugin(), await loadPlugin()];
    for (const event of [asked("per_1"), asked("per_1"), idle()]) {
      // OpenCode wraps the same properties again for each plugin.
      for (const { hooks } of copies) await hooks.event({ event: { ...event } });
    }
    for (const { hooks } of copies) await hooks.dispose();
    const events = ["permission.asked", "permission.asked", "session.idle", "dispose"];
    expect(started.map(({ event }) => event)).toEqual(events);
  });

  test.each([
    ["--log-level ERROR run fix", true],
    ["--print-logs --log-level=ERROR run", true],
    ["-m a/b run", true],
    ["--prompt run", false],
    ["-s run", false],
    [". run", false],
    ["--continue", false],
  ])("finds the command behind options: %s", async (args, isHeadless) => {
    runWithoutTerminal(args);
    const { hooks } = await loadPlugin();
    await hooks.event({ event: asked("per_1") });
    expect(started[0]?.input["headless"]).toBe(isHeadless || undefined);
  });

  test("passes on of a request only what describes it, and starts no hook for one that is no JSON", async () => {
    const { hooks } = await loadPlugin();
    const send = (more: object) =>
      hooks.event({ event: { ...asked("x"), properties: { ...asked("x").properties, ...more } } });
    await send({ permission: "edit", patterns: ["a.ts"], metadata: { diff: "secret", command: "c" } });
    await send({ permission: "wiki_search", metadata: { query: "login" } });
    await send({ permission: "wiki_search", metadata: { query: 1n } });
    const requests = started.map(({ input }) => input["request"]);
    expect(requests).toMatchObject([{ patterns: ["a.ts"] }, { metadata: { query: "login" } }]);
    expect(JSON.stringify(requests)).not.toContain("secret");
  });

  test("does nothing for OpenCode 1 where it is set up for OpenCode 2", async () => {
    const { plugin } = await loadPlugin();
    expect(await plugin.setup({ options: {}, agent: {}, skill: {} })).toBeUndefined();
    expect(await plugin.setup()).toBeUndefined();
  });

  test("rings in OpenCode 2 once, although it is set up for each open folder", async () => {
    const { plugin } = await loadPlugin();
    const location = (directory: string) => ({ location: { directory } });
    const list = [
      { id: "1", type: "permission.asked", data: { id: "per_1", sessionID: "s", action: "bash", resources: ["ls"] } },
      { id: "2", type: "permission.replied", data: { sessionID: "s", requestID: "per_1" } },
      { id: "3", type: "form.created", data: { form: { id: "form_1", sessionID: "s" } } },
      { id: "4", type: "form.cancelled", data: { id: "form_1", sessionID: "s" } },
      { id: "5", type: "session.execution.interrupted", data: { sessionID: "s" } },
      { id: "6", type: "session.execution.failed", data: { sessionID: "s", error: { message: "no quota" } } },
      { id: "7", type: "session.execution.succeeded", data: { sessionID: "s" } },
    ];
    async function* subscribe() {
      yield* list.map((event) => ({ ...event, ...location(project) }));
    }
    const setUp = (directory: string) => plugin.setup({ ...location(directory), event: { subscribe } });
    const ends = await Promise.all([project, "/home/dev/other"].map(setUp));
    await vi.waitFor(() => expect(started).toHaveLength(6));
    const permission = ["permission.asked per_1", "permission.replied per_1"];
    const form = ["form.created form_1", "form.cancelled form_1"];
    const ended = ["session.execution.failed undefined", "session.execution.succeeded undefined"];
    const rang = started.map(({ event, input }) => `${event} ${input["tool_call_id"]}`);
    expect(rang).toEqual([...permission, ...form, ...ended]);
    expect(new Set(started.map(({ input }) => input["cwd"]))).toEqual(new Set([project]));
    for (const end of ends) end();
  });
});

const question = readEvent("opencode/question.asked").properties;
const ls = { permission: "bash", patterns: ["ls"] };
const ofSubAgent = { agent_id: "ses_child", agent_title: "Look around (@general subagent)" };
test.each([
  ["a command", { permission: "bash", metadata: { command: "npm publish" } }, {}, "bash: npm publish"],
  ["a file", { permission: "edit", patterns: ["src/a.ts"] }, {}, "edit: src/a.ts"],
  ["several patterns", { permission: "webfetch", patterns: ["a", "b"] }, {}, "webfetch: a, b"],
  ["a command, as before 1.1", { type: "bash", pattern: "ls *", title: "List" }, {}, "bash: ls *"],
  ["a command, as in 2", { action: "bash", resources: ["ls"] }, {}, "bash: ls"],
  ["a sub-agent's command", ls, ofSubAgent, "bash: ls (sub-agent: Look around)"],
  ["a sub-agent's command without a title", { permission: "bash" }, { agent_id: "x" }, "bash (sub-agent)"],
  ["another program's tool", { permission: "wiki_ask_question", patterns: ["*"] }, {}, "wiki · ask question"],
  ["a folder", { permission: "external_directory", patterns: ["/etc"] }, {}, "external_directory: /etc"],
  ["a question", question, {}, "Which colour should the button have? (Red / Blue)"],
  ["only a title", { title: "Continue?" }, {}, "Continue?"],
])("what OpenCode asks for is named: %s", (_, request, more, message) => {
  const input = { hook_event_name: "permission.asked", session_id: "s", cwd: project, request, ...more };
  const event = parsed(input, { event: "permission.asked", agent: "opencode" });
  expect(event).toMatchObject({ kind: "needs-you", message });
});

test.each([
  ["stop", "finished"],
  ["length", "failed"],
  ["content-filter", "failed"],
  ["error", "failed"],
  ["other", "finished"],
  ["unknown", "finished"],
])("the end of a turn in OpenCode with %s is %s", (finish, kind) => {
  const input = { hook_event_name: "session.idle", session_id: "s", answer: { id: "msg_1", finish, text: "Done." } };
  const event = parsed(input, { event: "session.idle", agent: "opencode" });
  expect(event).toMatchObject({ event: "Stop", kind, lastMessage: "Done." });
  expect(event.skip).toBeUndefined();
});

test("tokens, cost and title come from the payload", async () => {
  const { rings } = await play(opencode, `${begin} ${answered}`);
  expect(rings).toMatchObject([{ session: { title: "Sample title", tokens: { input: 1200, output: 90 } } }]);
  expect(opencode.payload.usage?.({ tokens: {}, cost: 0.42 })).toEqual({ costUsd: 0.42 });
  expect(opencode.payload.usage?.({ tokens: "x", cost: "y" })).toBeUndefined();
  expect(opencode.payload.title?.({ title: "New session - 2026-11-25T02:47:47.292Z" })).toBeUndefined();
});
