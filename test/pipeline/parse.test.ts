import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { clean } from "../../src/core/clean.ts";
import { InputError } from "../../src/core/errors.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { parse } from "../../src/pipeline/parse.ts";
import type { RecordHeader, SpoolRecord } from "../../src/spool/record.ts";

const fixtures = join(import.meta.dirname, "../fixtures/payloads");
const atMs = 1_700_000_000_000;

type Header = Partial<RecordHeader>;

function record(payload: string | Buffer, header: Header = {}, end = 0): SpoolRecord {
  return { header: { v: 1, event: "Stop", ...header }, payload: Buffer.from(payload), end };
}

function parsed(payload: object | string | Buffer, header: Header = {}, end = 0): AgentEvent {
  const bytes = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
  return parse(record(bytes, header, end), "id-1", atMs);
}

function codeOf(payload: string | Buffer, header: Header = {}, end = 0): string {
  try {
    parsed(payload, header, end);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).code;
  }
  return "none";
}

/** Texts that people may see, or that are compared. */
function textsOf({ extra: _, transcriptPath: __, ...shown }: AgentEvent): string[] {
  return Object.values(shown).filter((value) => typeof value === "string");
}

afterEach(() => vi.unstubAllEnvs());

describe("an input that cannot be used says why, and not what it was", () => {
  const canary = "canary-4711";

  test.each<[string, string | Buffer, Header, number, string]>([
    ["empty, of an event that means nothing then", "", { event: "PreCompact" }, 0, "input.empty"],
    ["white space likewise", " \r\n\t", { event: "PreCompact" }, 0, "input.empty"],
    ["a byte-order mark alone likewise", "\ufeff", { event: "PreCompact" }, 0, "input.empty"],
    ["nothing until the deadline", "", {}, 124, "input.timeout"],
    ["unreadable", "", {}, 1, "input.unreadable"],
    ["cut off at the deadline", `{"message":"${canary}`, {}, 124, "input.timeout"],
    ["cut off at the bound", `{"message":"${canary}`, {}, 153, "input.too_large"],
    ["one byte over the bound", `{"a":"${"x".repeat(1024 * 1024 - 7)}"}`, {}, 0, "input.too_large"],
    ["malformed", `{"message":${canary}}`, {}, 0, "input.invalid_json"],
    ["truncated", `{"message":"${canary}"`, {}, 0, "input.invalid_json"],
    ["two objects", `{"a":"${canary}"}{"b":1}`, {}, 0, "input.invalid_json"],
    ["trailing garbage", `{"a":1} ${canary}`, {}, 0, "input.invalid_json"],
    ["with comments", `{"a":1 /* ${canary} */}`, {}, 0, "input.invalid_json"],
    ["UTF-16", Buffer.from(`{"a":"${canary}"}`, "utf16le"), {}, 0, "input.invalid_json"],
    ["binary", Buffer.from([0x80, 0xff, 0, 1, 2]), {}, 0, "input.invalid_json"],
    ["a list", `["${canary}"]`, {}, 0, "input.not_object"],
    ["a text", `"${canary}"`, {}, 0, "input.not_object"],
    ["a number", "4711", {}, 0, "input.not_object"],
    ["null", "null", {}, 0, "input.not_object"],
    ["nested 200,000 deep, and a list", "[".repeat(200_000) + "]".repeat(200_000), {}, 0, "input.not_object"],
  ])("%s", (_, payload, header, end, code) => {
    expect(codeOf(payload, header, end)).toBe(code);
    try {
      parsed(payload, header, end);
    } catch (error) {
      const { message, stack, cause } = error as Error;
      expect(`${message}${stack}${String(cause)}${JSON.stringify(error)}`).not.toContain("4711");
    }
  });

  test("a position is told where there is one", () => {
    expect(() => parsed('{"a":1} x')).toThrow(/at character 8$/);
    expect(() => parsed('{"a":')).toThrow(/after 5 characters$|at character 5$/);
  });
});

describe("an empty input is an event where that means something", () => {
  test.each(["Notification", "Stop", "SubagentStop", "SessionEnd"])("%s", (event) => {
    const { extra, ...rest } = parsed("", { event, agent: "droid", cwd: "/home/me/shop" });
    expect(rest).toMatchObject({ event, firing: event, agent: "droid", project: "shop", cwd: "/home/me/shop" });
    expect(extra).toEqual({});
  });
});

describe("any encoding comes through", () => {
  test.each<[string, Buffer, string]>([
    [
      "invalid UTF-8",
      Buffer.concat([Buffer.from('{"message":"a'), Buffer.from([0xff]), Buffer.from('b"}')]),
      "a\ufffdb",
    ],
    ["a byte-order mark", Buffer.from('\ufeff{"message":"hi"}'), "hi"],
    ["NUL and escapes", Buffer.from('{"message":"a\\u0000b\\u001b[31mc"}'), "abc"],
    ["halves of a surrogate pair", Buffer.from('{"message":"a\\ud83d b"}'), "a\ufffd b"],
    ["lines of Windows", Buffer.from('{"message":"a\\r\\nb"}'), "a\nb"],
  ])("%s", (_, payload, message) => {
    expect(parsed(payload).message).toBe(message);
  });
});

test("a payload that is one byte short of too large is taken", () => {
  const payload = `{"message":"${"x".repeat(1024 * 1024 - 14)}"}`;
  expect(Buffer.byteLength(payload)).toBe(1024 * 1024);
  expect(parsed(payload).message?.length).toBeLessThanOrEqual(256 * 1024);
});

test("nesting 200,000 deep beside a message leaves the message", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  expect(parsed(`{"message":"hi","deep":${deep},"tool_input":${deep}}`).message).toBe("hi");
});

describe("a field of the wrong type counts as absent", () => {
  const wrong: readonly unknown[] = [5, true, null, "", [], ["x"], {}, { toString: "x" }];
  const names = [
    ...["session_id", "cwd", "message", "reason", "error", "notification_type", "last_assistant_message"],
    ...["transcript_path", "hook_event_name", "type", "turn_id", "prompt_id", "prompt_response", "tool_name"],
  ];

  test.each(wrong.map((value) => [JSON.stringify(value), value] as const))("%s", (_, value) => {
    const payload = Object.fromEntries(names.map((name) => [name, value]));
    const { extra, ...event } = parsed(payload, { event: "Stop", agent: "claude" });
    expect(event).toEqual({
      id: "id-1",
      atMs,
      event: "Stop",
      firing: "Stop",
      agent: "claude",
      kind: "finished",
      project: "unknown",
    });
    expect(extra).toEqual(payload);
  });

  test("absent facts are absent, not undefined", () => {
    for (const value of Object.values(parsed({}))) expect(value).not.toBeUndefined();
  });
});

describe("field names may be written in the way of any language", () => {
  test.each([
    ["snake_case", { session_id: "s", turn_id: "t", last_assistant_message: "done", notification_type: "x_y" }],
    ["camelCase", { sessionId: "s", turnId: "t", lastAssistantMessage: "done", notificationType: "x_y" }],
    ["kebab-case", { "session-id": "s", "turn-id": "t", "last-assistant-message": "done", "notification-type": "x_y" }],
  ])("%s", (_, payload) => {
    expect(parsed(payload)).toMatchObject({
      sessionId: "s",
      turnId: "t",
      lastMessage: "done",
      notificationType: "x_y",
    });
  });

  test("the first name that holds a text counts", () => {
    expect(parsed({ session_id: 5, sessionId: "", "session-id": "third" }).sessionId).toBe("third");
    expect(parsed({ thread_id: "thread", session_id: "session" }).sessionId).toBe("session");
  });
});

test("keys named like parts of every object are ignored, and prototypes stay as they are", () => {
  const payload =
    '{"__proto__":{"message":"evil","polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","valueOf":5}';
  const event = parsed(payload, { event: "Notification" });
  expect(event.message).toBeUndefined();
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(parsed({ hook_event_name: "constructor" })).toMatchObject({ event: "constructor", kind: "info" });
  expect(parsed({ hook_event_name: "Notification", notification_type: "toString" }).kind).toBe("needs-you");
});

describe("what a firing means", () => {
  test.each<[string, string, object, Partial<AgentEvent>]>([
    ["claude", "Notification", {}, { event: "Notification", kind: "needs-you" }],
    ["claude", "Notification", { notification_type: "permission_prompt" }, { kind: "needs-you" }],
    ["claude", "Notification", { notification_type: "auth_success" }, { kind: "info" }],
    ["claude", "Notification", { notification_type: "agent_completed" }, { kind: "finished" }],
    ["claude", "Notification", { notification_type: "something_new" }, { kind: "needs-you" }],
    ["claude", "PermissionRequest", {}, { event: "Notification", kind: "needs-you", firing: "PermissionRequest" }],
    ["claude", "Stop", {}, { event: "Stop", kind: "finished" }],
    ["claude", "StopFailure", { error: "rate_limit" }, { event: "Stop", kind: "failed", reason: "rate_limit" }],
    ["claude", "SubagentStop", {}, { event: "SubagentStop", kind: "info" }],
    ["claude", "SubagentStop", { agent_type: "" }, { skip: expect.any(String) }],
    ["claude", "Stop", { background_tasks: [{ status: "running" }] }, { skip: expect.any(String) }],
    ["claude", "Stop", { background_tasks: [{ status: "done" }, null, 5] }, { kind: "finished" }],
    ["claude", "Stop", { agent_id: "a" }, { skip: expect.any(String) }],
    ["claude", "SessionEnd", { reason: "prompt_input_exit" }, { event: "SessionEnd", kind: "info" }],
    ["claude", "SessionEnd", { reason: "error" }, { event: "SessionEnd", kind: "failed" }],
    ["claude", "PreCompact", {}, { event: "PreCompact", kind: "info" }],
    ["gemini", "AfterAgent", {}, { event: "Stop", kind: "finished", firing: "AfterAgent" }],
    ["gemini", "AfterAgent", { prompt_response: "[no response text]" }, { event: "Stop", kind: "failed" }],
    ["codex", "agent-turn-complete", { client: "codex-tui" }, { event: "Stop", kind: "finished" }],
    ["codex", "agent-turn-complete", {}, { event: "Stop", skip: expect.any(String) }],
    ["droid", "PermissionRequest", {}, { event: "PermissionRequest", kind: "info" }],
    [
      "droid",
      "Notification",
      { notification_type: "idle_prompt", message: "Agent stopped by user" },
      { skip: expect.any(String) },
    ],
    ["somebody-else", "StopFailure", {}, { agent: "somebody-else", event: "Stop", kind: "failed" }],
  ])("%s %s %j", (agent, firing, payload, expected) => {
    const event = parsed({ hook_event_name: firing, ...payload }, { event: "Stop", agent });
    expect(event).toMatchObject(expected);
    if (!("skip" in expected)) expect(event).not.toHaveProperty("skip");
  });

  test("is the launcher's word where the payload has none", () => {
    expect(parsed({}, { event: "SubagentStop" })).toMatchObject({ event: "SubagentStop", firing: "SubagentStop" });
  });

  test("is the payload's word where both have one", () => {
    expect(parsed({ hook_event_name: "Notification" }, { event: "Stop" }).event).toBe("Notification");
  });

  test("is compared as a whole: a longer name is another event", () => {
    expect(parsed({ hook_event_name: "StopNotification" }).kind).toBe("info");
    expect(parsed({ hook_event_name: "stoP" }).kind).toBe("info");
  });
});

describe("the agent", () => {
  test("is the one the launcher names", () => {
    expect(parsed({ transcript_path: "/home/me/.factory/x" }, { agent: "qwen" }).agent).toBe("qwen");
  });

  test.each([
    ["/home/me/.factory/sessions/a.jsonl", "droid"],
    ["/home/me/.claude/projects/a.jsonl", "claude"],
    ["/home/me/.codex/sessions/a.jsonl", "codex"],
    ["/home/me/.gemini/tmp/a.jsonl", "gemini"],
    ["/home/me/.qwen/projects/a.jsonl", "qwen"],
  ])("is told by its transcript: %s", (path, agent) => {
    expect(parsed({ transcript_path: path }).agent).toBe(agent);
  });

  test("is told by a firing that only one has, else unknown", () => {
    expect(parsed({ hook_event_name: "AfterAgent" }).agent).toBe("gemini");
    expect(parsed({ hook_event_name: "Stop" }).agent).toBe("unknown");
  });
});

describe("where it happened", () => {
  const longPath = `/home/me/${"deep/".repeat(100)}shop`;

  test.each<[string, object, Header, string | undefined, string]>([
    ["the payload's folder", { cwd: "/home/me/shop" }, { cwd: "/tmp" }, "/home/me/shop", "shop"],
    ["the launcher's folder", {}, { cwd: "/home/me/shop" }, "/home/me/shop", "shop"],
    ["no folder", {}, {}, undefined, "unknown"],
    ["the root", { cwd: "/" }, {}, "/", "unknown"],
    ["a folder with a slash at its end", { cwd: "/home/me/shop/" }, {}, "/home/me/shop/", "shop"],
    ["a deep folder", { cwd: longPath }, {}, longPath, "shop"],
    ["a folder with several spaces", { cwd: "/home/me/my  shop" }, {}, "/home/me/my  shop", "my  shop"],
    ["a folder with a line end and colours", { cwd: "/a/b\nc\u001b[31md" }, {}, "/a/b cd", "b cd"],
    ["a blank", { cwd: " \n" }, {}, undefined, "unknown"],
  ])("is %s", (_, payload, header, cwd, project) => {
    const event = parsed(payload, header);
    expect(event.cwd).toBe(cwd);
    expect(event.project).toBe(project);
  });

  test("is cut off where no path goes on", () => {
    expect(parsed({ cwd: `/${"x".repeat(10_000)}` }).cwd?.length).toBe(4096);
  });
});

describe("a transcript's path", () => {
  test.each([
    ["/home/me/.claude/a b.jsonl", "/home/me/.claude/a b.jsonl"],
    ["~/.claude/a.jsonl", "/home/me/.claude/a.jsonl"],
    ["relative.jsonl", undefined],
    ["../../etc/passwd", undefined],
    ["~root/a.jsonl", undefined],
    ["/a\0b", undefined],
  ])("%j is %j", (path, absolute) => {
    vi.stubEnv("HOME", "/home/me");
    expect(parsed({ transcript_path: path }).transcriptPath).toBe(absolute);
  });
});

describe("what the agent wants", () => {
  test.each<[object, string | undefined]>([
    [{ tool_name: "Bash", tool_input: { command: "rm -rf\n build" } }, "Wants to use Bash: rm -rf build"],
    [{ tool_name: "Write", tool_input: { file_path: "/a/b" } }, "Wants to use Write: /a/b"],
    [{ tool_name: "Fetch", tool_input: { url: "https://h" } }, "Wants to use Fetch: https://h"],
    [{ tool_name: "Task", tool_input: { description: "look" } }, "Wants to use Task: look"],
    [{ tool_name: "Odd", tool_input: { command: 5, file_path: ["x"] } }, "Wants to use Odd"],
    [{ tool_name: "Odd", tool_input: "text" }, "Wants to use Odd"],
    [{ tool_name: "Odd", tool_input: null }, "Wants to use Odd"],
    [{ tool_name: "Ask", tool_input: { questions: [{ question: "Red or blue?" }] } }, "Red or blue?"],
    [{ tool_name: "Ask", tool_input: { questions: [null] } }, "Wants to use Ask"],
    [{ tool_name: "Ask", tool_input: { questions: "x" } }, "Wants to use Ask"],
    [{ tool_name: "Bash", tool_input: { command: "ls" }, message: "its own words" }, "its own words"],
    [{ tool_input: { command: "ls" } }, undefined],
  ])("%j is %j", (payload, message) => {
    expect(parsed(payload).message).toBe(message);
  });
});

describe("words are short, texts are not endless", () => {
  test("a word is one line of at most 200 characters", () => {
    const long = `a\nb ${"x".repeat(1000)}`;
    const event = parsed({ session_id: long, reason: long, notification_type: long, hook_event_name: long });
    for (const word of [event.sessionId, event.reason, event.notificationType, event.firing]) {
      expect(word?.length).toBeLessThanOrEqual(200);
      expect(word).toMatch(/^a b x+$/);
    }
  });

  test("a message of a megabyte is cut before anything looks at it", () => {
    const startedAtMs = performance.now();
    const event = parsed({ message: "\u001b]".repeat(140_000) + "x".repeat(1000), session_id: "s" });
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    expect(event).not.toHaveProperty("message");
    expect(parsed({ message: "x".repeat(1_000_000) }).message?.length).toBe(256 * 1024);
  });
});

describe("whatever comes in", () => {
  const bit = fc.oneof(
    fc.string({ unit: "binary", maxLength: 10 }),
    fc.constantFrom("\u001b[31m", "\u001b]0;x", "\n", "\u202e", "Stop", "Notification", "/home/me/x", "~/.claude/x"),
  );
  const text = fc.array(bit, { maxLength: 6 }).map((bits) => bits.join(""));
  const names = [
    ...["session_id", "cwd", "message", "reason", "error", "notification_type", "notificationType", "agent_id"],
    ...["transcript_path", "hook_event_name", "type", "turn_id", "tool_name", "tool_input", "last-assistant-message"],
    ...["background_tasks", "prompt_response", "client", "input-messages", "__proto__", "constructor"],
  ];
  const payload = fc.dictionary(fc.constantFrom(...names), fc.oneof(text, fc.jsonValue()));
  const agent = fc.constantFrom("claude", "codex", "droid", "gemini", "qwen", "else", undefined);

  test("an event is safe to show and says what it is", () => {
    fc.assert(
      fc.property(payload, agent, (json, name) => {
        const event = parsed(json, { ...(name !== undefined && { agent: name }) });
        for (const shown of textsOf(event)) {
          expect(clean(shown)).toBe(shown);
          expect(shown).not.toBe("");
          expect(shown).not.toContain("[object Object]");
        }
        expect(kinds).toContain(event.kind);
        expect(event).toMatchObject({ id: "id-1", atMs });
      }),
      { numRuns: 300 },
    );
  });

  test("it becomes an event or an input error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(0, 1, 124, 153), (bytes, end) => {
        expect([
          "none",
          "input.invalid_json",
          "input.not_object",
          "input.timeout",
          "input.too_large",
          "input.unreadable",
        ]).toContain(codeOf(Buffer.from(bytes), {}, end));
      }),
      { numRuns: 200 },
    );
  });
});

describe("a payload captured from a real agent", () => {
  const samples = ["claude", "claude-2.1.197", "codex", "droid", "gemini", "qwen", "qwen-0.15.10"].flatMap((folder) =>
    readdirSync(join(fixtures, folder))
      .filter((file) => file.endsWith(".json"))
      .map((file) => ({ agent: folder.replace(/-.*/, ""), file: join(folder, file) })),
  );

  test.each(samples)("is an event of $agent: $file", ({ agent, file }) => {
    const bytes = readFileSync(join(fixtures, file));
    const event = parsed(bytes, { agent });
    expect(event.agent).toBe(agent);
    expect(event.sessionId).toMatch(/^[\w-]{8,}$/);
    expect(event.project).not.toBe("unknown");
    if (event.transcriptPath !== undefined) expect(parsed(bytes).agent).toBe(agent);
  });
});
