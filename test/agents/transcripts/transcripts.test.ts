import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agents } from "../../../src/agents/registry.ts";
import { claudeTranscript } from "../../../src/agents/transcripts/claude.ts";
import { codexTranscript } from "../../../src/agents/transcripts/codex.ts";
import { copilotTranscript } from "../../../src/agents/transcripts/copilot.ts";
import { droidTranscript } from "../../../src/agents/transcripts/droid.ts";
import { geminiTranscript } from "../../../src/agents/transcripts/gemini.ts";
import { grokTranscript } from "../../../src/agents/transcripts/grok.ts";
import { kimiTranscript } from "../../../src/agents/transcripts/kimi.ts";
import { qwenTranscript } from "../../../src/agents/transcripts/qwen.ts";
import { isWhole, recordsOf, textOf } from "../../../src/agents/transcripts/record.ts";
import { type Step, turnFacts } from "../../../src/agents/transcripts/turn.ts";
import { clean } from "../../../src/core/clean.ts";
import type { Facts } from "../../../src/core/facts.ts";
import { fixture, shown, wholeOf } from "./fixture.ts";

describe("Claude Code's transcript", () => {
  test("has every fact of a captured session", () => {
    expect(shown(claudeTranscript.read(wholeOf("payloads/transcripts/claude.jsonl")))).toEqual({
      title: "say hi",
      lastMessage: "All done: the file was reviewed.",
      turnMs: 35,
      turnOutcome: "completed",
      messageCount: 2,
      branch: "master",
      model: "claude-opus-4-8",
      tokens: { input: 10, output: 9, cacheRead: 0, cacheWrite: 0 },
    });
  });

  test("counts a message on several lines once, and skips what is not for the user", () => {
    expect(shown(claudeTranscript.read(wholeOf("claude-turns.jsonl")))).toEqual({
      title: "Repair the login",
      lastMessage: "The login works again. Two tests were added.",
      turnMs: 60_000,
      turnOutcome: "completed",
      messageCount: 3,
      branch: "feature/login",
      model: "claude-opus-4-8",
      tokens: { input: 30, output: 32, cacheRead: 3000, cacheWrite: 300 },
    });
  });

  test.each([
    [
      "an API error",
      "claude-api-error.jsonl",
      {
        turnOutcome: "failed",
        lastMessage: "API Error: 500 from the service.",
        turnMs: 2000,
        model: "claude-opus-4-8",
      },
    ],
    ["an interrupted turn", "claude-interrupted.jsonl", { turnOutcome: "interrupted", lastMessage: "I begin." }],
    ["a session that was compacted after its answer", "claude-compacted.jsonl", { lastMessage: "First answer." }],
    [
      "the calls that wait for a permission",
      "claude-two-permissions.jsonl",
      { openCalls: ["toolu_mwr73vzab", "toolu_mwr73vzac2"] },
    ],
    ["a title the user gave over a generated one", "claude-custom-title.jsonl", { title: "My own title" }],
  ])("shows %s", (_, name, facts) => {
    expect(claudeTranscript.read(wholeOf(name))).toMatchObject(facts);
  });

  test("has no answer rather than an earlier turn's while it lags behind", () => {
    const facts = claudeTranscript.read(wholeOf("claude-lagging.jsonl"));
    expect(facts).not.toHaveProperty("lastMessage");
    expect(facts).not.toHaveProperty("turnOutcome");
    expect(facts).not.toHaveProperty("turnMs");
  });

  test("has no branch for a detached head", () => {
    expect(claudeTranscript.read(wholeOf("claude-custom-title.jsonl"))).not.toHaveProperty("branch");
  });

  test("marks token counts of a part as partial", () => {
    const lines = fixture("claude-turns.jsonl").split(/(?<=\n)/);
    const facts = claudeTranscript.read({ head: lines[0] ?? "", tail: lines.at(-1) ?? "" });
    expect(facts).toMatchObject({
      title: "An older title",
      tokens: { input: 10, output: 20, cacheRead: 1000, cacheWrite: 100, partial: true },
    });
  });
});

describe("Codex' transcript", () => {
  test("has every fact of a captured session", () => {
    expect(shown(codexTranscript.read(wholeOf("payloads/transcripts/codex.jsonl")))).toEqual({
      title: "say hi",
      lastMessage: "All done: the file was reviewed.",
      turnMs: 95,
      turnOutcome: "completed",
      messageCount: 2,
      model: "fake",
      tokens: { input: 10, output: 9, cacheRead: 0, cacheWrite: 0, thinking: 0 },
    });
  });

  test.each([
    [
      "an interrupted turn",
      "codex-aborted.jsonl",
      {
        lastMessage: "I begin.",
        turnMs: 4200,
        turnOutcome: "interrupted",
        messageCount: 2,
        branch: "feature/login",
        tokens: { input: 300, output: 50, cacheRead: 600, cacheWrite: 100, thinking: 30 },
      },
    ],
    [
      "a turn that an error ended, although Codex then calls it complete",
      "codex-error.jsonl",
      { lastMessage: "unexpected status 401 Unauthorized", turnMs: 2000, turnOutcome: "failed" },
    ],
    [
      "a session of an older version",
      "codex-older.jsonl",
      { lastMessage: "Hello there.", turnMs: 2000, messageCount: 2, model: "gpt-5-codex" },
    ],
  ])("shows %s", (_, name, facts) => {
    expect(codexTranscript.read(wholeOf(name))).toMatchObject(facts);
  });

  test("has the thread's newest name, from the index", () => {
    const parts = wholeOf("codex-aborted.jsonl", "codex-session-index.jsonl");
    expect(codexTranscript.read(parts).title).toBe("Repair the login");
  });

  test("has the name of a thread whose first line is too long to be read", () => {
    const tail = fixture("payloads/transcripts/codex.jsonl")
      .split(/(?<=\n)/)
      .slice(6)
      .join("");
    const index = '{"id":"01a1f98c-06e2-7d01-a813-17d5c1d902de","thread_name":"Say hi"}\n';
    expect(codexTranscript.read({ head: "", tail, companion: index })).toMatchObject({ title: "Say hi", turnMs: 95 });
  });

  test("has its companion in Codex's own folder", () => {
    const path = join("/home/dev/.codex", "sessions", "2026", "11", "20", "rollout-x.jsonl");
    expect(codexTranscript.companion?.(path)).toBe(join("/home/dev/.codex", "session_index.jsonl"));
  });
});

describe("copilot", () => {
  const until = (text: string, mark: string) => text.slice(0, text.indexOf("\n", text.indexOf(mark)) + 1);
  const read = (text: string) => copilotTranscript.read({ head: text, tail: text });

  describe("Copilot's events", () => {
    test("have every fact of a captured session", () => {
      expect(shown(copilotTranscript.read(wholeOf("copilot-headless.jsonl")))).toEqual({
        title: "fix the tests",
        lastMessage: "All done: the tests pass.",
        turnMs: 50,
        messageCount: 2,
        branch: "master",
        model: "gpt-4.1",
        tokens: { input: 1200, output: 34, cacheRead: 0, cacheWrite: 0 },
      });
    });

    test("have the title from the file beside them, quoted or not", () => {
      const { title } = copilotTranscript.read(wholeOf("copilot.jsonl", "copilot-workspace.yaml"));
      expect(title).toBe("please TOOL now");
      const named = (name: string) =>
        shown(copilotTranscript.read({ head: "", tail: "", companion: `id: 1\nname: ${name}\n` }));
      expect([named('"a: b"'), named("'it'"), named("")]).toEqual([{ title: "a: b" }, { title: "it" }, {}]);
    });

    test("show a failed turn, with the service's message, until the next prompt", () => {
      const all = fixture("copilot.jsonl");
      const failed = read(until(all, "400 the model is broken"));
      expect(failed).toMatchObject({ turnOutcome: "failed", lastMessage: "400 the model is broken" });
      const next = read(until(all, '"please BOOM now"'));
      expect(next).not.toHaveProperty("turnOutcome");
      expect(next).not.toHaveProperty("lastMessage");
    });

    test("have the token counts of all turns", () => {
      expect(copilotTranscript.read(wholeOf("copilot.jsonl")).tokens).toMatchObject({ input: 4800, output: 136 });
    });

    test("show a turn that the user ended", () => {
      const line = (type: string, data: unknown) => JSON.stringify({ type, data, timestamp: "2026-11-21T11:00:00Z" });
      const text = [line("user.message", { content: "go" }), line("abort", { reason: "user initiated" })].join("\n");
      expect(read(text).turnOutcome).toBe("interrupted");
    });
  });
});

const firstTurn = { title: "fix the login", lastMessage: "The login works again. Two tests were added." };

describe("Droid's transcript", () => {
  test("has every fact of a captured session", () => {
    const parts = wholeOf("payloads/transcripts/droid.jsonl", "payloads/transcripts/droid.settings.json");
    expect(shown(droidTranscript.read(parts))).toEqual({
      title: "say hi",
      lastMessage: "All done: the file was reviewed.",
      turnMs: 9,
      turnOutcome: "completed",
      messageCount: 2,
      model: "custom:fake-0",
      tokens: { input: 10, output: 9, cacheRead: 0, cacheWrite: 0, thinking: 0, credits: 0 },
    });
  });

  test.each([
    [
      "a turn at the time of its Stop hook, whose row is already there",
      "droid-at-stop.jsonl",
      { ...firstTurn, turnMs: 60_000, messageCount: 3, model: "model-b" },
    ],
    [
      "a notice to the user after the end of a turn, which says nothing about it",
      "droid-then-command.jsonl",
      { ...firstTurn, turnMs: 60_000, messageCount: 3, model: "model-b", turnOutcome: "completed" },
    ],
    [
      "an API error at the time of Stop",
      "droid-api-error-at-stop.jsonl",
      {
        title: "fix the login",
        lastMessage: "401 Invalid API key.\nCheck your settings.",
        turnMs: 13_000,
        messageCount: 2,
        model: "model-a",
        turnOutcome: "failed",
      },
    ],
    ["an API error after the turn's end", "droid-api-error.jsonl", { turnOutcome: "failed", turnMs: 13_000 }],
    [
      "a turn that the user stopped",
      "droid-interrupted.jsonl",
      { turnOutcome: "interrupted", lastMessage: "I look at the form first." },
    ],
    [
      "a second turn that failed without any answer",
      "droid-second-turn-failed.jsonl",
      { turnOutcome: "failed", lastMessage: "500 from the service", turnMs: 2000, messageCount: 4 },
    ],
    [
      "a sub-agent's own session",
      "droid-subagent-session.jsonl",
      { callingSessionId: "0cb3bb8b-6a46-4ffd-95a8-730770e578a5", lastMessage: "Done, the marker is there." },
    ],
    ["the call that waits for a permission", "droid-permission.jsonl", { openCalls: ["call_mwr75kpe6"] }],
    ["a half-written last line", "droid-half-written.jsonl", { ...firstTurn, turnMs: 60_000 }],
  ])("shows %s", (_, name, facts) => {
    const read = droidTranscript.read(wholeOf(name));
    expect(read).toMatchObject(facts);
    if (!("turnOutcome" in facts)) expect(read).not.toHaveProperty("turnOutcome");
  });

  test("has no message count when the beginning was not read", () => {
    const text = fixture("droid-at-stop.jsonl");
    const [head = "", ...rest] = text.split(/(?<=\n)/);
    const facts = droidTranscript.read({ head, tail: rest.join("") });
    expect(facts).not.toHaveProperty("messageCount");
    expect(facts).toMatchObject(firstTurn);
  });

  test("skips rows about hooks, whatever they hold", () => {
    const row = { role: "user", content: "Hook failed", visibility: "user_only", hookEventName: "Stop" };
    const text = `${fixture("droid-at-stop.jsonl")}${JSON.stringify({ type: "message", message: row })}\n`;
    const facts = droidTranscript.read({ head: text, tail: text });
    expect(facts).toMatchObject(firstTurn);
    expect(facts).not.toHaveProperty("turnOutcome");
  });

  test("has the settings file beside it as companion", () => {
    expect(droidTranscript.companion?.("/home/dev/.factory/sessions/-x/a.b.jsonl")).toBe(
      "/home/dev/.factory/sessions/-x/a.b.settings.json",
    );
  });
});

describe("Gemini CLI's chat recording", () => {
  test("has the last version of each message", () => {
    expect(shown(geminiTranscript.read(wholeOf("gemini.jsonl")))).toEqual({
      title: "Repair the login",
      lastMessage: "The login works again.",
      turnMs: 5000,
      messageCount: 2,
      model: "gemini-3-pro",
      tokens: { input: 1000, output: 14, cacheRead: 200, thinking: 6 },
    });
  });

  test.each([
    ["a turn the user stopped", "gemini-cancelled.jsonl", { turnOutcome: "interrupted", messageCount: 1 }],
    [
      "a turn that an error ended",
      "gemini-error.jsonl",
      { turnOutcome: "failed", lastMessage: "[API Error: 400 bad request]" },
    ],
    ["messages that were taken back", "gemini-rewound.jsonl", { lastMessage: "Right way.", messageCount: 2 }],
  ])("shows %s", (_, name, facts) => {
    expect(geminiTranscript.read(wholeOf(name))).toMatchObject(facts);
  });
});

describe("grok", () => {
  const update = (sessionUpdate: string, rest: object, meta: object = {}) =>
    JSON.stringify({ params: { update: { sessionUpdate, ...rest }, _meta: { agentTimestampMs: 5, ...meta } } });
  const chunk = (kind: string, text: string, meta: object = {}) =>
    update(`${kind}_message_chunk`, { content: { type: "text", text } }, meta);
  const read = (...lines: string[]) => grokTranscript.read({ head: lines.join("\n"), tail: lines.join("\n") });

  describe("Grok Build's updates", () => {
    test("have every fact of a captured session", () => {
      expect(shown(grokTranscript.read(wholeOf("grok-headless.jsonl")))).toEqual({
        lastMessage: "All done: the tests pass.",
        turnMs: 120,
        turnOutcome: "completed",
        messageCount: 2,
        model: "m",
        tokens: { input: 1200, output: 34, cacheRead: 0, cacheWrite: 0, thinking: 0 },
      });
    });

    test("have the title from the file beside them", () => {
      const { title } = grokTranscript.read(wholeOf("grok.jsonl", "grok-summary.json"));
      expect(title).toBe("All done: the tests pass.");
    });

    test("show a failed turn with the service's message, and a turn that the user ended", () => {
      const lines = fixture("grok.jsonl").split("\n");
      const upTo = (mark: string) => read(...lines.slice(0, lines.findIndex((line) => line.includes(mark)) + 1));
      const words = "API error (status 400 Bad Request): invalid_request_error: the model is broken";
      expect(upTo('"stop_reason":"error"')).toMatchObject({ turnOutcome: "failed", lastMessage: words, turnMs: 261 });
      expect(upTo('"stop_reason":"cancelled"')).toMatchObject({ turnOutcome: "interrupted" });
    });

    test("join the chunks of one message, and no others", () => {
      const facts = read(
        chunk("user", "do "),
        chunk("user", "it"),
        chunk("agent", "First", { streamStartMs: 1 }),
        chunk("agent", "All ", { streamStartMs: 2 }),
        chunk("agent", "done.", { streamStartMs: 2 }),
      );
      expect(facts).toMatchObject({ lastMessage: "All done.", messageCount: 3 });
    });
  });
});

describe("Kimi Code's record of a session", () => {
  test("has every fact of a captured session", () => {
    expect(shown(kimiTranscript.read(wholeOf("kimi-headless.jsonl")))).toEqual({
      lastMessage: "All done: the tests pass.",
      turnMs: 209,
      turnOutcome: "completed",
      messageCount: 2,
      model: "mock/m",
      tokens: { input: 1200, output: 34, cacheRead: 0, cacheWrite: 0 },
    });
  });

  test("shows a failed turn with the service's message", () => {
    const facts = kimiTranscript.read(wholeOf("kimi.jsonl"));
    expect(facts).toMatchObject({ turnOutcome: "failed", lastMessage: "400 the model is broken", turnMs: 26 });
  });

  test("shows a turn that the user ended", () => {
    expect(kimiTranscript.read(wholeOf("kimi-interrupted.jsonl"))).toMatchObject({ turnOutcome: "interrupted" });
  });

  test("is found by the index of sessions", () => {
    const index = fixture("kimi-session-index.jsonl");
    const find = (id: string, text = index) => kimiTranscript.index?.find(text, id);
    const folder = "/home/dev/.kimi-code/sessions/wd_shop_d61d1c3237a0";
    const id = "session_bef8c8e5-1a18-422d-980b-73f539b5fbeb";
    expect(find(id)).toBe(`${folder}/${id}/agents/main/wire.jsonl`);
    expect(find("session_0")).toBeUndefined();
    expect(find("a", '{"sessionId":"a","sessionDir":"../x"}\n{"sessionId":"a"')).toBeUndefined();
  });
});

describe("Qwen Code's transcript", () => {
  test("has every fact of a captured session", () => {
    expect(shown(qwenTranscript.read(wholeOf("payloads/transcripts/qwen.jsonl")))).toEqual({
      title: "say hi",
      lastMessage: "All done: the file was reviewed.",
      turnMs: 42,
      messageCount: 2,
      model: "fake",
      tokens: { input: 10, output: 9, cacheRead: 0, thinking: 0 },
    });
  });

  test("adds up the calls of a turn with tools, and leaves thoughts out", () => {
    expect(shown(qwenTranscript.read(wholeOf("qwen-tools.jsonl")))).toEqual({
      title: "fix the login",
      lastMessage: "The login works again.",
      turnMs: 9000,
      messageCount: 2,
      model: "qwen-b",
      branch: "feature/login",
      tokens: { input: 1000, output: 30, cacheRead: 1200, thinking: 4 },
    });
  });
});

describe("define transcript", () => {
  const prompt = (content: unknown) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
  const title = (tail: string, head = tail) => claudeTranscript.read({ head, tail }).title;

  test.each([
    ["its first prompt", prompt("fix the login") + prompt("now the tests"), "fix the login"],
    ["one line of it", prompt("fix\n\n  the \u001b[31mlogin"), "fix the login"],
    ["sixty characters of it", prompt("fix ".repeat(40)), `${"fix ".repeat(14)}fix…`],
    ["the first that no editor wrote", prompt("<ide_opened_file>a.ts</ide_opened_file>") + prompt("fix it"), "fix it"],
  ])("a session without a title is called by %s", (_, transcript, called) => {
    expect(title(transcript)).toBe(called);
  });

  test("of a long session the first prompt is that of its beginning", () => {
    expect(title(prompt("now the tests"), prompt("fix the login"))).toBe("fix the login");
  });

  test("a title is preferred", () => {
    expect(title(`${prompt("fix the login")}{"type":"ai-title","aiTitle":"Repair the login"}\n`)).toBe(
      "Repair the login",
    );
  });
});

describe("turn", () => {
  const prompt: Step = { kind: "prompt", at: 1_000 };
  const call = (id: string): Step => ({ kind: "call", id, tool: "Bash", input: { command: `touch ${id}` } });
  const result = (id: string): Step => ({ kind: "result", id, at: 3_000 });
  const refused = (id: string): Step => ({ kind: "result", id, isRefused: true, at: 3_000 });
  const answer = (at: number, text = "All right."): Step => ({ kind: "answer", at, text });
  const completed: Step = { kind: "end", outcome: "completed" };
  const shell: Step = { kind: "task", id: "b1", of: "shell", call: "a" };

  describe("a turn whose tool the user refused", () => {
    test.each<[string, readonly Step[], string | undefined]>([
      ["is interrupted", [refused("a")], "interrupted"],
      ["is interrupted whatever the agent writes at its end", [refused("a"), completed], "interrupted"],
      ["is interrupted if the agent only acknowledges it", [refused("a"), answer(4_000), completed], "interrupted"],
      ["goes on with another tool", [refused("a"), call("b"), result("b"), answer(4_000), completed], "completed"],
      ["goes on if the agent took its time to answer", [refused("a"), answer(60_000), completed], "completed"],
      ["may fail all the same", [refused("a"), { kind: "end", outcome: "failed" }], "failed"],
    ])("%s", (_, steps, outcome) => {
      expect(turnFacts([prompt, call("a"), ...steps], true).turnOutcome).toBe(outcome);
    });
  });

  test("calls without a result are what waits for the user, those of earlier turns are not", () => {
    const { openCalls, work } = turnFacts([prompt, call("x"), prompt, call("a"), call("b"), result("a")], true);
    expect(openCalls).toEqual(["b"]);
    expect(work.requests).toEqual(["Bash: touch b"]);
  });

  test("what a turn started in the background runs until it ends; what earlier turns started does not count", () => {
    const running = (...steps: Step[]) =>
      turnFacts([prompt, call("a"), shell, result("a"), ...steps], true).work.running;
    expect(running()).toEqual([{ id: "b1", of: "shell", name: "touch a" }]);
    expect(running({ kind: "task-end", id: "b1" })).toEqual([]);
    expect(running(prompt)).toEqual([]);
  });

  test("a prompt without any reply is unanswered, a tool call is a reply", () => {
    expect(turnFacts([prompt], true).work.isUnanswered).toBe(true);
    expect(turnFacts([prompt, call("a")], true).work).not.toHaveProperty("isUnanswered");
    expect(turnFacts([], true).work).not.toHaveProperty("isUnanswered");
  });

  test("what a failed turn says is words, without the JSON they came in", () => {
    const complaint = '[API Error: {"error":{"message":"{\\"error\\":{\\"message\\":\\"too long\\"}}","code":400}}]';
    const failed: Step = { kind: "complaint", at: 2_000, text: complaint };
    expect(turnFacts([prompt, failed], true).lastMessage).toBe("API Error: too long");
    expect(turnFacts([prompt, answer(2_000, complaint)], true).lastMessage).toBe(complaint);
  });
});

const measured = ["droid", "claude", "codex", "qwen"].map((name) => fixture(`payloads/transcripts/${name}.jsonl`));
const lines = [...measured, fixture("gemini.jsonl"), fixture("droid-api-error.jsonl"), fixture("claude-turns.jsonl")]
  .flatMap((text) => text.split("\n"))
  .filter((line) => line !== "");
const formats = agents.flatMap((agent) => (agent.transcript ? [[agent.name, agent.transcript] as const] : []));

const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
const hostile = [
  ["nothing", ""],
  ["garbage", "\u0000\ufffd{]\n\n{\n}\n[1]\nnull\n"],
  ["nesting 200 000 deep", `{"type":"message","message":${deep}}\n{"type":"user","message":{"content":${deep}}}\n`],
  ["a line of 1 MB", `{"type":"message","message":{"role":"assistant","content":"${"x".repeat(1_000_000)}"}}\n`],
  ["prototype keys", '{"__proto__":{"type":"message","message":{"role":"assistant","content":"x"}}}\n'],
  ["wrong types everywhere", lines.join("\n").replace(/:"[^"]*"/g, ":[{}]")],
  ["numbers for everything", lines.join("\n").replace(/:"[^"]*"/g, ":-1e999")],
] as const;

describe.each(formats)("the transcript format of %s", (_, format) => {
  test.each(hostile)("stands %s", (_, text) => {
    expect(textsOf(format.read({ head: text, tail: text, companion: text }))).toEqual(expect.any(Array));
    expect(Object.hasOwn(Object.prototype, "type")).toBe(false);
  });

  test("has clean facts or none, whatever the lines are and wherever they are cut", () => {
    const anyLine = fc.oneof(
      fc.constantFrom(...lines),
      fc.constantFrom(...lines).chain((line) => fc.nat(line.length).map((end) => line.slice(0, end))),
      fc.json(),
      fc.string({ unit: "binary" }),
      fc
        .tuple(fc.constantFrom("user", "assistant"), fc.string({ unit: "binary" }))
        .map(([role, text]) => JSON.stringify({ type: "message", message: { role, content: text, timestamp: text } })),
    );
    const anyText = fc.array(anyLine, { maxLength: 12 }).map((some) => some.join("\n"));
    const check = (head: string, tail: string, companion: string): void => {
      const facts = format.read({ head, tail, companion });
      for (const text of textsOf(facts)) {
        expect(text).not.toBe("");
        expect(clean(text)).toBe(text);
      }
      for (const count of [facts.turnMs, facts.messageCount, ...Object.values(facts.tokens ?? {})]) {
        if (typeof count === "number") expect(count).toBeGreaterThanOrEqual(0);
      }
    };
    fc.assert(fc.property(anyText, anyText, anyText, check), { numRuns: 200 });
  });
});

describe("recordsOf", () => {
  test("skips lines that are not whole objects", () => {
    expect(recordsOf('{"a":1}\nnull\n[2]\n{"b":\n"c"\n {"d":3}\r\n')).toEqual([{ a: 1 }, { d: 3 }]);
  });

  test("returns every object that was written as a line", () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }));
    const check = (all: object[]): void => {
      const text = all.map((one) => JSON.stringify(one)).join("\n");
      expect(recordsOf(text)).toEqual(text === "" ? [] : text.split("\n").map((line) => JSON.parse(line)));
    };
    fc.assert(fc.property(objects, check), { numRuns: 300 });
  });
});

describe("isWhole", () => {
  test.each([
    ["a file shorter than both parts", "a\nb\n", "a\nb\n", true],
    ["a file shorter than the tail", "a\n", "a\nb\n", true],
    ["a tail that begins later", "a\n", "b\n", false],
    ["a first line longer than the head", "", "b\n", false],
  ])("recognizes %s", (_, head, tail, whole) => {
    expect(isWhole({ head, tail })).toBe(whole);
  });
});

describe("textOf", () => {
  test.each([
    ["a text", "a", "a"],
    [
      "blocks of text among others",
      [{ type: "text", text: "a" }, { type: "tool_use" }, { type: "text", text: "b" }],
      "a\nb",
    ],
    ["no text", [{ type: "tool_use" }], undefined],
    ["white space", " \n", undefined],
    ["nothing of the kind", 7, undefined],
  ])("reads %s", (_, content, text) => {
    expect(textOf(content)).toBe(text);
  });
});

function textsOf(facts: Facts): string[] {
  return Object.values(facts).filter((value) => typeof value === "string");
}
