import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { clean } from "../../src/text/clean.ts";
import { measureCpuMs } from "../core/cpu-time.ts";
import { eventAt } from "../world/arriving-events.ts";
import { repository } from "../world/home.ts";
import { type Header, parsed } from "../world/parsed.ts";

afterEach(() => vi.unstubAllEnvs());

test("only a sample names its own notifiers", () => {
  const name = (session_id: string) => parsed({ session_id }, { to: ["desk"] }).to;
  expect(name("beckon-install-0123456789ab")).toEqual(["desk"]);
  expect(name("s-1")).toBeUndefined();
});

test("a request, an end or a failure over the limit is shown without its text, and other input is rejected", () => {
  const big = (event: string) => ({
    session_id: "s-1",
    hook_event_name: event,
    tool_name: "Bash",
    x: "x".repeat(1 << 20),
  });
  const request = parsed(big("PermissionRequest"), {
    event: "PermissionRequest",
    agent: "claude",
    cwd: "/home/dev/shop",
  });
  const shown = { kind: "needs-you", sessionId: "s-1", project: "shop", message: "A request too large to show" };
  expect(request).toMatchObject(shown);
  const cut = JSON.stringify(big("PermissionRequest")).slice(0, -10);
  expect(parsed(cut, { event: "PermissionRequest", agent: "claude" }, 153)).toMatchObject({ message: shown.message });
  for (const [event, kind, message] of [
    ["Stop", "finished", "An answer too large to show"],
    ["StopFailure", "failed", "An error too large to show"],
  ] as const) {
    expect(parsed(big(event), { event, agent: "claude" })).toMatchObject({ kind, sessionId: "s-1", message });
  }
  expect(() => parsed(big("SessionEnd"), { event: "SessionEnd", agent: "claude" })).toThrow("more than 1 MiB");
  expect(() => parsed("{", { event: "PermissionRequest", agent: "claude" })).toThrow("not valid JSON");
});

describe("a field of the wrong type counts as absent", () => {
  const wrong: readonly unknown[] = [5, true, null, "", [], ["x"], {}, { toString: "x" }];
  const names = [
    ...["session_id", "cwd", "message", "reason", "error", "notification_type", "last_assistant_message"],
    ...["transcript_path", "hook_event_name", "type", "turn_id", "prompt_id", "prompt_response", "tool_name"],
  ];

  test.each(wrong.map((value) => [JSON.stringify(value), value] as const))("%s", (_, value) => {
    const payload = Object.fromEntries(names.map((name) => [name, value]));
    const { sessionId: _sessionId, ...bare } = eventAt("Stop", 0, { id: "id-1", project: "unknown", extra: payload });
    expect(parsed(payload, { event: "Stop", agent: "claude" })).toEqual(bare);
  });

  test("absent facts are absent, not undefined", () => {
    for (const value of Object.values(parsed({}))) expect(value).not.toBeUndefined();
  });
});

describe("field names may be in any spelling", () => {
  test.each([
    { session_id: "s", turn_id: "t", last_assistant_message: "done", notification_type: "x_y" },
    { sessionId: "s", turnId: "t", lastAssistantMessage: "done", notificationType: "x_y" },
    { "session-id": "s", "turn-id": "t", "last-assistant-message": "done", "notification-type": "x_y" },
  ])("%j", (payload) => {
    const expected = { sessionId: "s", turnId: "t", lastMessage: "done", notificationType: "x_y" };
    expect(parsed(payload)).toMatchObject(expected);
  });

  test("the first name with a text counts", () => {
    expect(parsed({ session_id: 5, sessionId: "", "session-id": "third" }).sessionId).toBe("third");
    expect(parsed({ thread_id: "thread", session_id: "session" }).sessionId).toBe("session");
  });
});

test("keys of Object.prototype are ignored, and prototypes stay unchanged", () => {
  const payload =
    '{"__proto__":{"message":"evil","polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","valueOf":5}';
  const event = parsed(payload, { event: "Notification" });
  expect(event.message).toBeUndefined();
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(parsed({ hook_event_name: "constructor" })).toMatchObject({ event: "constructor", kind: "info" });
  expect(parsed({ hook_event_name: "Notification", notification_type: "toString" }).kind).toBe("needs-you");
});

describe("the native event", () => {
  test("is the payload's, or the launcher's if the payload has none", () => {
    expect(parsed({}, { event: "SubagentStop" })).toMatchObject({ event: "SubagentStop", nativeEvent: "SubagentStop" });
    expect(parsed({ hook_event_name: "Notification" }, { event: "Stop" }).event).toBe("Notification");
  });

  test("is compared as a whole, and notifications also by their type", () => {
    const parseKind = (name: string, type?: string) => parsed({ hook_event_name: name, notification_type: type }).kind;
    expect(["StopNotification", "stoP"].map((name) => parseKind(name))).toEqual(["info", "info"]);
    const types = ["auth_success", "another_one"];
    expect(types.map((type) => parseKind("Notification", type))).toEqual(["info", "needs-you"]);
  });
});

describe("the working directory", () => {
  const longPath = `/home/me/${"deep/".repeat(100)}shop`;

  test.each<[string, object, Header, string | undefined, string]>([
    ["the payload's folder", { cwd: "/home/me/shop" }, { cwd: "/tmp" }, "/home/me/shop", "shop"],
    ["the launcher's folder", {}, { cwd: "/home/me/shop" }, "/home/me/shop", "shop"],
    ["no folder", {}, {}, undefined, "unknown"],
    ["the root", { cwd: "/" }, {}, "/", "/"],
    ["a Windows folder seen from WSL", { cwd: "C:\\Users\\me\\shop" }, {}, "C:\\Users\\me\\shop", "shop"],
    ["a drive", { cwd: "C:\\" }, {}, "C:\\", "C:"],
    ["a share", { cwd: "\\\\server\\share\\shop\\" }, {}, "\\\\server\\share\\shop\\", "shop"],
    ["a folder with a trailing slash", { cwd: "/home/me/shop/" }, {}, "/home/me/shop/", "shop"],
    ["a long path", { cwd: longPath }, {}, longPath, "shop"],
    ["a folder with several spaces", { cwd: "/home/me/my  shop" }, {}, "/home/me/my  shop", "my  shop"],
    ["a folder with a line break and colours", { cwd: "/a/b\nc\u001b[31md" }, {}, "/a/b cd", "b cd"],
    ["a blank", { cwd: " \n" }, {}, undefined, "unknown"],
  ])("is %s", (_, payload, header, cwd, project) => {
    const event = parsed(payload, header);
    expect(event.cwd).toBe(cwd);
    expect(event.project).toBe(project);
  });

  test("is cut to 4096 characters", () => {
    expect(parsed({ cwd: `/${"x".repeat(10_000)}` }).cwd?.length).toBe(4096);
  });
});

test.each([
  ["/home/me/.claude/a b.jsonl", "/home/me/.claude/a b.jsonl"],
  ["~/.claude/a.jsonl", "/home/me/.claude/a.jsonl"],
  ["relative.jsonl", undefined],
  ["../../etc/passwd", undefined],
  ["~root/a.jsonl", undefined],
  ["/a\0b", undefined],
])("the path %j of a transcript is %j", (path, absolute) => {
  vi.stubEnv("HOME", "/home/me");
  expect(parsed({ transcript_path: path }).transcriptPath).toBe(absolute);
});

describe("limits", () => {
  test("a word is one line of at most 200 characters", () => {
    const long = `a\nb ${"x".repeat(1000)}`;
    const event = parsed({ session_id: long, reason: long, notification_type: long, hook_event_name: long });
    for (const word of [event.sessionId, event.reason, event.notificationType, event.nativeEvent]) {
      expect(word?.length).toBeLessThanOrEqual(200);
      expect(word).toMatch(/^a b x+$/);
    }
  });

  test("a message of a megabyte is cut before further processing", () => {
    const payload = { message: "\u001b]".repeat(140_000) + "x".repeat(1000), session_id: "s" };
    expect(measureCpuMs(() => expect(parsed(payload)).not.toHaveProperty("message"))).toBeLessThan(1_000);
    expect(parsed({ message: "x".repeat(1_000_000) }).message?.length).toBe(256 * 1024);
  });
});

test.each([
  ["Stop", "cancelled by the user", "the user stopped the agent"],
  ["StopFailure", "cancelled", "the user stopped the agent"],
  ["StopFailure", "stream interrupted: connection reset by peer", undefined],
  ["StopFailure", "API error (status 499): request canceled by upstream", undefined],
])("Grok's %s with the reason `%s` is skipped: %s", (event, error, skip) => {
  expect(parsed({ session_id: "s", error }, { event, agent: "grok" }).skip).toBe(skip);
});

test("only an id makes a Stop a sub-agent's", () => {
  const skips = ["", "a1"].map((agent_id) => parsed({ session_id: "s", agent_id }, { agent: "claude" }).skip);
  expect(skips).toEqual([undefined, "the end of a sub-agent's turn"]);
});

test("any input gives a complete event that is safe to show", () => {
  const bit = fc.oneof(
    fc.string({ unit: "binary", maxLength: 10 }),
    fc.constantFrom("\u001b[31m", "\u001b]0;x", "\n", "\u202e", "Stop", "Notification", "/home/me/x", "~/.claude/x"),
  );
  const text = fc.array(bit, { maxLength: 6 }).map((bits) => bits.join(""));
  const names = [
    ...["session_id", "cwd", "message", "reason", "error", "notification_type", "notificationType", "agent_id"],
    ...["transcript_path", "hook_event_name", "type", "turn_id", "tool_name", "tool_input", "last-assistant-message"],
    ...["background_tasks", "prompt_response", "client", "input-messages", "__proto__", "constructor"],
    ...["details", "workspace_roots", "_exchange", "session_title"],
  ];
  const payload = fc.dictionary(fc.constantFrom(...names), fc.oneof(text, fc.jsonValue()));
  const agent = fc.constantFrom(...agents.map(({ name }) => name), "else", undefined);

  fc.assert(
    fc.property(payload, agent, (json, name) => {
      const event = parsed(json, omitUndefined({ agent: name }));
      const { extra: _, transcriptPath: __, ...texts } = event; // the others are shown or compared
      for (const shown of Object.values(texts).filter((value) => typeof value === "string")) {
        expect(clean(shown)).toBe(shown);
        expect(shown).not.toBe("");
        expect(shown).not.toContain("[object Object]");
      }
      expect(kinds).toContain(event.kind);
      expect(event).toMatchObject({ id: "id-1", atMs: 1_700_000_000_000 });
    }),
    { numRuns: 300 },
  );
});

const samples = join(repository, "test", "fixtures", "payloads");
const folders = readdirSync(samples).filter((folder) => folder !== "transcripts");

test.each(folders)("every payload captured from %s is an event of that agent's session in a project", (folder) => {
  const agent = folder.replace(/-.*/, "");
  const failed = readdirSync(join(samples, folder)).filter((file) => {
    const bytes = readFileSync(join(samples, folder, file));
    const event = parsed(bytes, { agent });
    const isRecognized = event.transcriptPath === undefined || parsed(bytes).agent === agent;
    const hasSession = /^[\w-]{8,}$/.test(event.sessionId ?? "");
    return event.agent !== agent || event.project !== "shop" || !hasSession || !isRecognized;
  });
  expect(failed).toEqual([]);
});

describe("the message", () => {
  test("is the agent's own rather than beckon's description of the tool", () => {
    const request = { tool_name: "Bash", tool_input: { command: "ls" } };
    expect(parsed(request).message).toBe("Bash: ls");
    expect(parsed({ ...request, message: "May I?" }).message).toBe("May I?");
  });

  test("is what Gemini's details say, and names the server of another program's tool", () => {
    const ask = (details: object) => parsed({ message: "Tool x requires MCP", details }, { agent: "gemini" }).message;
    expect(ask({ type: "mcp", serverName: "tracker", toolName: "create_issue" })).toBe("tracker · create issue");
    expect(ask({ type: "exec", command: "# a\nrm b" })).toBe("Shell: # a\nrm b");
    expect(ask({ type: "info", title: "Fetch", urls: ["https://a.org"] })).toBe("Fetch: https://a.org");
  });

  test("of a failure is plain text without the model service's JSON", () => {
    const answered = 'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"too long"}}';
    const failure = { hook_event_name: "StopFailure", last_assistant_message: answered };
    expect(parsed(failure, { agent: "claude" }).lastMessage).toBe("API Error: 400 too long");
    expect(parsed({ ...failure, hook_event_name: "Stop" }, { agent: "claude" }).lastMessage).toBe(answered);
    const error = { hook_event_name: "ErrorOccurred", error: { message: '{"message":"boom"}' } };
    expect(parsed(error, { agent: "copilot" }).message).toBe("boom");
  });

  test("uses the other agent's field names if the hook was copied from that agent's settings", () => {
    expect(parsed({ prompt_response: "done" }, { agent: "claude" }).lastMessage).toBe("done");
  });
});

test.each([
  ["named by the launcher", { transcript_path: "/home/me/.factory/x" }, { agent: "qwen" }, "qwen"],
  ["whose native event is unique", { hook_event_name: "AfterAgent" }, {}, "gemini"],
  ["unknown for a native event that many agents share", { hook_event_name: "Stop" }, {}, "unknown"],
  ["shown by the payload when another agent's hook took it", { cursor_version: "1" }, { agent: "claude" }, "cursor"],
  ["named by the hook if the agent runs no other hooks", { cursor_version: "1" }, { agent: "droid" }, "droid"],
])("the agent is the one %s", (_, payload, header, agent) => {
  expect(parsed(payload, header).agent).toBe(agent);
});

test("the time, project and session of a prompt are known, and its text is dropped", () => {
  const typed = "my secret plan";
  const terminal = { WINDOWID: "12" };
  const payload = {
    ...{ hook_event_name: "UserPromptSubmit", session_id: "s", prompt_id: "t", cwd: "/home/me/shop" },
    ...{ transcript_path: "/home/me/.claude/a.jsonl", prompt: typed, message: typed, reason: typed, error: typed },
    ...{ last_assistant_message: typed, notification_type: typed, session_title: typed, anything: [{ text: typed }] },
  };
  expect(parsed(payload, { agent: "claude", processes: [2, 3], terminal, wait: 5 })).toEqual({
    ...{ id: "id-1", atMs: 1_700_000_000_000, event: "Prompt", nativeEvent: "UserPromptSubmit", kind: "info" },
    ...{ agent: "claude", sessionId: "s", turnId: "t", cwd: "/home/me/shop", project: "shop", isAwaited: true },
    ...{ transcriptPath: "/home/me/.claude/a.jsonl", processes: [2, 3], terminal, extra: {} },
  });
});

test.each<[string, string, object]>([
  ["grok", "user_prompt_submit", {}],
  ["copilot", "userPromptSubmitted", {}],
  ["cursor", "beforeSubmitPrompt", {}],
  ["auggie", "PromptSubmit", {}],
  ["somebody-else", "UserPromptSubmit", {}],
  ["claude", "Prompt", {}], // from the entrypoint, with a payload that does not name its event
])("the prompt of %s is its %s", (agent, event, more) => {
  const found = parsed({ session_id: "s", prompt: "go", ...more }, { agent, event });
  expect(found).toMatchObject({ event: "Prompt", kind: "info" });
  expect(found.extra).toEqual({});
  expect(found).not.toHaveProperty("skip");
});
