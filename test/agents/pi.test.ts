import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parsed } from "../world/parsed.ts";
import { failToStart, findAgent, listKinds, loadModule, ringStarted, started } from "./started-hooks.ts";

const fixtures = join(import.meta.dirname, "../fixtures/plugin-events/pi");
const recorded = readdirSync(fixtures).map((name) => name.replace(/\.json$/, ""));
const pi = findAgent("pi");
const rootVariable = "BECKON_PI_ROOT";

beforeEach(() => vi.stubEnv(rootVariable, undefined));
afterEach(() => vi.unstubAllEnvs());

interface PiEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Handler = (event: unknown, context: unknown) => unknown;

/** Version of Pi, as its extensions see it. `0.79` has no `agent_settled`, `0.86` no `agent_before_settle`. */
type Version = "0.79" | "0.86" | "0.87";
const isKnown: Readonly<Record<Version, (type: string) => boolean>> = {
  "0.79": (type) => type !== "agent_settled" && type !== "agent_before_settle" && !type.startsWith("ui_prompt"),
  "0.86": (type) => type !== "agent_before_settle",
  "0.87": () => true,
};

/** Loads beckon's extension into a stand-in for Pi. */
async function startPi(version: Version = "0.87") {
  const factory = await loadModule(pi);
  let handlers: [string, Handler][] = [];
  const load = (isFresh = true) => {
    if (isFresh) handlers = [];
    factory({
      on: (type: string, handler: Handler) => handlers.push([type, handler]),
      getSessionName: () => undefined,
      ...(version === "0.79" ? {} : { registerEntryRenderer: () => {} }),
    });
  };
  load();
  const emit = (event: PiEvent, context: unknown = makeContext({ version })) =>
    isKnown[version](event.type)
      ? handlers.flatMap(([type, handler]) => (type === event.type ? [handler(event, context)] : []))
      : [];
  return { emit, load };
}

const usage = { input: 1200, output: 90, cacheRead: 10, cacheWrite: 0, cost: { total: 0.02 } };

/** Makes the second argument that Pi passes to a handler. */
function makeContext({ id = "session-1", mode = "tui", isIdle = false, version = "0.87" } = {}) {
  const message = { role: "assistant", usage };
  return {
    ...{ mode, hasUI: mode === "tui", cwd: "/home/dev/shop", isIdle: () => isIdle },
    sessionManager: {
      getSessionId: () => id,
      getSessionFile: () => undefined,
      getEntries: () => [{ type: "model_change" }, { type: "message", message }, { type: "message", message }],
      ...(version === "0.87" ? { appendContextEdit: () => {} } : {}),
    },
  };
}

function readEvent(name: string): PiEvent {
  return JSON.parse(readFileSync(join(fixtures, `${name}.json`), "utf8")).event;
}

const begin = "session_start-startup input before_agent_start agent_start";
const ended = "turn_end agent_end agent_before_settle-completed";
const completed = `${ended} agent_settled`;
const prompted = "tool_execution_start tool_call ui_prompt_start-select +3000 ui_prompt_end-select";
const retry = "agent_end-500-will-retry +2000";
const retries = `${retry} ${retry}`;
const failed = "agent_end-401 agent_before_settle-error agent_settled";
const aborted = "agent_end-aborted agent_settled-aborted";

/**
 * Sessions by title: the files of the events, and the expected rings in the form of `rings.ts`. `+100` waits for 100
 * ms.
 */
const sessions: Readonly<Record<string, readonly [steps: string, rings: string, version?: Version]>> = {
  "a finished turn": [`${begin} ${completed}`, "D"],
  "a turn of pi -p": [`${begin} ${ended} agent_settled-print session_shutdown-quit`, "D"],
  "an error of pi -p": [`${begin} agent_end-401 agent_before_settle-print-error agent_settled-print`, "F"],
  "a request, granted": [`${begin} ${prompted} tool_result +2000 ${completed}`, "ND"],
  "a request, refused": [`${begin} ${prompted} tool_execution_end-blocked +2000 ${completed}`, "ND"],
  "a question": [`${begin} tool_execution_start tool_call ui_prompt_start-custom +9000`, "N"],
  "an error 401": [`${begin} ${failed}`, "F"],
  "an error 500 after three retries": [
    `${begin} ${retries} ${retry} agent_end-500-will-retry agent_before_settle-500 agent_settled`,
    "F",
  ],
  "a retry that helps": [`${begin} ${retries} agent_start ${completed}`, "D"],
  "an interrupted turn": [`${begin} ${aborted}`, ""],
  "an interrupted retry": [`${begin} ${retry} agent_settled-aborted`, ""],
  "an interrupted turn after a finished one": [`${begin} ${completed} +9000 input agent_start ${aborted}`, "D"],
  "two turns": [`${begin} ${completed} +9000 input agent_start ${completed}`, "DD"],
  "a compaction that fails": [`${begin} ${completed} +9000 session_compact_failed`, "D"],
  "a closed terminal": [`${begin} session_shutdown-hangup`, ""],
  "a signal": [`${begin} ${completed} +5000 session_shutdown-sigterm`, "D"],
  "a new session": [`${begin} ${completed} +5000 session_shutdown-new session_start-new`, "D"],
  "a finished turn before 0.87": [`${begin} ${completed}`, "D", "0.86"],
  "an interrupted turn before 0.87": [`${begin} ${aborted}`, "", "0.86"],
  "an error before 0.87": [`${begin} ${failed}`, "F", "0.86"],
  "a finished turn before 0.80.4": [`${begin} ${completed}`, "D", "0.79"],
  "an error before 0.80.4": [`${begin} ${failed}`, "F", "0.79"],
  "a retry that helps before 0.80.4": [`${begin} ${retries} agent_start ${completed}`, "D", "0.79"],
  "an interrupted turn before 0.80.4": [`${begin} agent_end-aborted`, "", "0.79"],
};

async function play(steps: string, version?: Version) {
  const { emit } = await startPi(version);
  for (const step of steps.split(" ")) {
    if (step.startsWith("+")) vi.advanceTimersByTime(Number(step));
    else emit(readEvent(step));
    vi.advanceTimersByTime(2);
  }
  return ringStarted(pi);
}

test.each(Object.entries(sessions))("Pi rings right for %s", async (_, [steps, expected, version]) => {
  const { rings, journal } = await play(steps, version);
  expect(listKinds(rings), JSON.stringify(rings)).toBe(expected);
  const answers = steps.split("ui_prompt_end").length - 1;
  expect(journal.filter(({ resolvedBy }) => resolvedBy === "result")).toHaveLength(answers);
});

test("every recorded event of Pi is in a session", () => {
  const used = new Set(Object.values(sessions).flatMap(([steps]) => steps.split(" ")));
  expect(recorded.filter((file) => !used.has(file) && file !== "agent_settled-sub-agent-process")).toEqual([]);
});

describe("Pi's module", () => {
  const prompted = { type: "ui_prompt_start", kind: "select", title: "Allow?" };
  const began = (reason = "startup") => ({ type: "session_start", reason });

  test("returns nothing from any handler, so that it decides nothing", async () => {
    const { emit } = await startPi();
    const returned = recorded.flatMap((name) => emit(readEvent(name)));
    expect(returned.length).toBeGreaterThan(20);
    expect(returned.filter((value) => value !== undefined)).toEqual([]);
  });

  test("leaves tool calls and the boundaries of model calls alone", async () => {
    const types: string[] = [];
    (await loadModule(pi))({ on: (type: string) => types.push(type) });
    expect(types).not.toContain("tool_call");
    expect(types).not.toContain("turn_end");
  });

  test.each([
    ["without fields", {}],
    ["with a context that is out of date", { sessionManager: undefined }],
  ])("survives events %s", async (_, context) => {
    const { emit } = await startPi();
    for (const name of recorded) {
      const { type } = readEvent(name);
      expect(() => emit({ type }, context)).not.toThrow();
      expect(() => emit({ type })).not.toThrow();
    }
  });

  test("survives a process that cannot be started", async () => {
    const { emit } = await startPi();
    failToStart();
    expect(() => emit(prompted)).not.toThrow();
  });

  test("is silent in a session whose events a program reads", async () => {
    const { emit } = await startPi();
    for (const event of [began(), prompted, { type: "agent_settled" }]) emit(event, makeContext({ mode: "json" }));
    expect(started).toEqual([]);
  });

  test.each(["print", "rpc"])("is silent in a sub-agent's process in mode %s, but not in its parent", async (mode) => {
    const child = await startPi();
    vi.stubEnv(rootVariable, `${process.ppid} session-of-the-parent`);
    for (const event of [began(), prompted]) child.emit(event, makeContext({ mode, id: "child" }));
    expect(started).toEqual([]);
    vi.stubEnv(rootVariable, undefined);
    for (const event of [began(), prompted]) child.emit(event, makeContext({ mode, id: "child" }));
    expect(started).toHaveLength(1);
  });

  test("rings in a Pi that a person started in a shell of another Pi, or after its end", async () => {
    const { emit } = await startPi();
    vi.stubEnv(rootVariable, `${process.ppid} session-of-the-parent`);
    for (const event of [began(), prompted]) emit(event);
    expect(started).toHaveLength(1);
    vi.stubEnv(rootVariable, "999999999 session-of-the-parent");
    for (const event of [began(), prompted]) emit(event, makeContext({ mode: "print", id: "later" }));
    expect(started).toHaveLength(2);
  });

  test("is silent for a sub-agent in the same process", async () => {
    const { emit, load } = await startPi();
    emit(began());
    load(false);
    for (const event of [began(), prompted]) emit(event, makeContext({ mode: "print", id: "child" }));
    expect(started).toEqual([]);
    emit(prompted);
    expect(started).toHaveLength(1);
  });

  test.each(["new", "resume", "fork", "reload"])("rings once after it is loaded again (%s)", async (reason) => {
    const { emit, load } = await startPi();
    const id = reason === "reload" ? "session-1" : "session-2";
    emit(began());
    emit({ type: "session_shutdown", reason });
    // The old handlers stay, which is worse than what Pi does.
    load(false);
    for (const event of [began(reason), prompted]) emit(event, makeContext({ id, mode: "rpc" }));
    expect(started.filter(({ event }) => event === "ui_prompt_start")).toHaveLength(1);
    expect(started.filter(({ event }) => event === "session_shutdown")).toHaveLength(reason === "reload" ? 0 : 1);
  });

  test("rings once for two installed copies", async () => {
    const copies = [await startPi(), await startPi()];
    for (const event of [began(), prompted]) for (const { emit } of copies) emit(event);
    expect(started).toHaveLength(1);
  });

  test("takes no prompt of an extension for one of a person", async () => {
    const { emit } = await startPi();
    emit({ type: "input", text: "go on", source: "extension" });
    expect(started).toEqual([]);
  });

  test("passes on the session's tokens and cost, the answer, and no prompt", async () => {
    const { emit } = await startPi();
    for (const name of `${begin} ${completed}`.split(" ")) emit(readEvent(name));
    const { input } = started.at(-1) ?? {};
    const total = { input: 2400, output: 180, cacheRead: 20, cacheWrite: 0, costUsd: 0.04 };
    expect(pi.payload.usage?.(input ?? {})).toEqual(total);
    expect(input).toMatchObject({ cwd: "/home/dev/shop", answer: { text: "All done: the file was reviewed." } });
    expect(JSON.stringify(started)).not.toContain("PLAY-PLAIN");
  });
});

describe("a payload of Pi", () => {
  test.each([
    ["a dialog's title", { request: { kind: "confirm", title: "Delete it?" } }, "Delete it?"],
    ["a tool's question", { request: { kind: "custom", tool: "question", args: { question: "Which?" } } }, "Which?"],
    ["a tool", { request: { kind: "custom", tool: "deploy", args: { command: "ship" } } }, "deploy: ship"],
    ["nothing about a dialog without a title", { request: { kind: "custom" } }, undefined],
  ])("says %s", (_, payload, message) => {
    const event = parsed({ session_id: "s", idle: false, ...payload }, { event: "ui_prompt_start", agent: "pi" });
    expect(event).toMatchObject({ event: "Notification", kind: "needs-you" });
    expect(event.message).toBe(message);
    expect(event.skip).toBeUndefined();
  });

  test("skips a dialog that the user opened", () => {
    const payload = { session_id: "s", idle: true, request: { kind: "select", title: "Theme" } };
    expect(parsed(payload, { event: "ui_prompt_start", agent: "pi" }).skip).toBe("the user opened the dialog");
  });

  test.each([
    ['401: {"message":"Wrong key.","type":"api_error"}', "Wrong key."],
    ['529: {"error":{"message":"Overloaded"}}', "Overloaded"],
    ['500: {"broken', '500: {"broken'],
    ["Connection error.", "Connection error."],
  ])("says of the error %s: %s", (error, message) => {
    const payload = { session_id: "s", outcome: "error", answer: { stopReason: "error", error } };
    expect(parsed(payload, { event: "agent_settled", agent: "pi" })).toMatchObject({ kind: "failed", message });
  });

  test("counts a broken off answer as failed", () => {
    const payload = { session_id: "s", outcome: "completed", answer: { stopReason: "length", text: "The" } };
    const failed = { kind: "failed", message: "The model broke off its answer: length" };
    expect(parsed(payload, { event: "agent_settled", agent: "pi" })).toMatchObject(failed);
  });
});
