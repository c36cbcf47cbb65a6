import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claudeTranscript } from "../../../src/agents/claude.ts";
import { codexTranscript } from "../../../src/agents/codex.ts";
import { copilotTranscript } from "../../../src/agents/copilot.ts";
import { droidTranscript } from "../../../src/agents/droid.ts";
import { grokTranscript } from "../../../src/agents/grok.ts";
import { kimiTranscript } from "../../../src/agents/kimi.ts";
import { agentNamed, agents } from "../../../src/agents/registry.ts";
import type { Step } from "../../../src/agents/transcripts/define-transcript.ts";
import { parseRecords, readText } from "../../../src/agents/transcripts/record.ts";
import { turnFacts } from "../../../src/agents/transcripts/turn.ts";
import type { Facts, FoundFacts } from "../../../src/core/facts.ts";
import { clean } from "../../../src/text/clean.ts";
import { describeRequests } from "../../../src/text/request.ts";

const fixtures = join(import.meta.dirname, "..", "..", "fixtures");

/** Reads a real transcript or, if the name has no folder, a transcript made for a test. */
function fixture(name: string): string {
  return readFileSync(join(fixtures, name.includes("/") ? name : join("transcripts", name)), "utf8");
}

/** Returns the facts without those that only classification uses. */
function shown({ work: _, ...facts }: FoundFacts): Facts {
  return facts;
}

/** Reads a whole transcript in the format of the agent at the start of the file name. */
function readWhole(file: string, companion?: string): FoundFacts {
  const format = agentNamed(/(\w+?)(-[\w-]+)?\.jsonl$/.exec(file)?.[1] ?? "")?.transcript;
  if (!format) throw new Error(`no agent writes ${file}`);
  const text = fixture(file); // shorter than the limit of a lookup
  return format.read({ head: text, tail: text, ...(companion !== undefined && { companion: fixture(companion) }) });
}

const reviewed = "All done: the file was reviewed.";
const passing = "All done: the tests pass.";
const repaired = "The login works again. Two tests were added.";
const firstTurn = { title: "fix the login", lastMessage: repaired };

const captured: Readonly<Record<string, Facts>> = {
  "payloads/transcripts/claude.jsonl": {
    ...{ title: "say hi", lastMessage: reviewed, turnMs: 35, turnOutcome: "completed", messageCount: 2 },
    ...{ branch: "master", model: "claude-opus-4-8" },
    tokens: { input: 10, output: 9, cacheRead: 0, cacheWrite: 0 },
  },
  // A message on several lines counts once; messages hidden from the user do not count.
  "claude-turns.jsonl": {
    ...{ title: "Repair the login", lastMessage: repaired, turnMs: 60_000, turnOutcome: "completed", messageCount: 3 },
    ...{ branch: "feature/login", model: "claude-opus-4-8" },
    tokens: { input: 30, output: 32, cacheRead: 3000, cacheWrite: 300 },
  },
  "payloads/transcripts/codex.jsonl": {
    ...{ title: "say hi", lastMessage: reviewed, turnMs: 95, turnOutcome: "completed", messageCount: 2, model: "fake" },
    tokens: { input: 10, output: 9, cacheRead: 0, cacheWrite: 0, thinking: 0 },
  },
  "copilot-headless.jsonl": {
    ...{ title: "fix the tests", lastMessage: passing, turnMs: 50, messageCount: 2 },
    ...{ branch: "master", model: "gpt-4.1" },
    tokens: { input: 1200, output: 34, cacheRead: 0, cacheWrite: 0 },
  },
  "payloads/transcripts/droid.jsonl": {
    ...{ title: "say hi", lastMessage: reviewed, turnMs: 9, turnOutcome: "completed", messageCount: 2 },
    model: "custom:fake-0",
    tokens: { input: 10, output: 9, cacheRead: 0, cacheWrite: 0, thinking: 0, credits: 0 },
  },
  // The last version of each message counts.
  "gemini.jsonl": {
    ...{ title: "Repair the login", lastMessage: "The login works again.", turnMs: 5000, messageCount: 2 },
    model: "gemini-3-pro",
    tokens: { input: 1000, output: 14, cacheRead: 200, thinking: 6 },
  },
  "grok-headless.jsonl": {
    ...{ lastMessage: passing, turnMs: 120, turnOutcome: "completed", messageCount: 2, model: "m" },
    tokens: { input: 1200, output: 34, cacheRead: 0, cacheWrite: 0, thinking: 0 },
  },
  "kimi-headless.jsonl": {
    ...{ lastMessage: passing, turnMs: 209, turnOutcome: "completed", messageCount: 2, model: "mock/m" },
    tokens: { input: 1200, output: 34, cacheRead: 0, cacheWrite: 0 },
  },
  "payloads/transcripts/qwen.jsonl": {
    ...{ title: "say hi", lastMessage: reviewed, turnMs: 42, messageCount: 2, model: "fake" },
    tokens: { input: 10, output: 9, cacheRead: 0, thinking: 0 },
  },
  // The calls of a turn with tools are added up, and thoughts are left out.
  "qwen-tools.jsonl": {
    ...{ title: "fix the login", lastMessage: "The login works again.", turnMs: 9000, messageCount: 2 },
    ...{ model: "qwen-b", branch: "feature/login" },
    tokens: { input: 1000, output: 30, cacheRead: 1200, thinking: 4 },
  },
};
test.each(Object.entries(captured))("%s has exactly these facts", (file, facts) => {
  const companion = file.endsWith("/droid.jsonl") ? "payloads/transcripts/droid.settings.json" : undefined;
  expect(shown(readWhole(file, companion))).toEqual(facts);
});

const droidTurn = { ...firstTurn, turnMs: 60_000, messageCount: 3, model: "model-b" };
const droidError = { lastMessage: "401 Invalid API key.\nCheck your settings.", turnMs: 13_000, turnOutcome: "failed" };
const aborted = {
  ...{ lastMessage: "I begin.", turnMs: 4200, turnOutcome: "interrupted", messageCount: 2, branch: "feature/login" },
  tokens: { input: 300, output: 50, cacheRead: 600, cacheWrite: 100, thinking: 30 },
};
const callingSessionId = "0cb3bb8b-6a46-4ffd-95a8-730770e578a5";
const failedAfter = (turnMs: number, lastMessage: string) => ({ turnOutcome: "failed", turnMs, lastMessage });
const telling: Readonly<Record<string, object>> = {
  "claude-api-error": { ...failedAfter(2000, "API Error: 500 from the service."), model: "claude-opus-4-8" },
  "claude-interrupted": { turnOutcome: "interrupted", lastMessage: "I begin." },
  "claude-compacted": { lastMessage: "First answer." },
  "claude-two-permissions": { openCalls: ["toolu_mwr73vzab", "toolu_mwr73vzac2"] },
  "claude-custom-title": { title: "My own title" }, // which the user gave, over a generated one
  "codex-aborted": aborted,
  "codex-error": failedAfter(2000, "unexpected status 401 Unauthorized"), // although Codex then calls it complete
  "codex-older": { lastMessage: "Hello there.", turnMs: 2000, messageCount: 2, model: "gpt-5-codex" },
  copilot: { tokens: { input: 4800, output: 136 } }, // those of all turns
  "droid-at-stop": droidTurn, // whose row is already there when the hook runs
  "droid-then-command": { ...droidTurn, turnOutcome: "completed" }, // a notice after a turn says nothing about it
  "droid-api-error-at-stop": { ...droidError, title: "fix the login", messageCount: 2, model: "model-a" },
  "droid-api-error": { turnOutcome: "failed", turnMs: 13_000 },
  "droid-interrupted": { turnOutcome: "interrupted", lastMessage: "I look at the form first." },
  "droid-second-turn-failed": { ...failedAfter(2000, "500 from the service"), messageCount: 4 }, // without an answer
  "droid-subagent-session": { lastMessage: "Done, the marker is there.", callingSessionId },
  "droid-permission": { openCalls: ["call_mwr75kpe6"] },
  "droid-half-written": { ...firstTurn, turnMs: 60_000 },
  "gemini-cancelled": { turnOutcome: "interrupted", messageCount: 1 },
  "gemini-error": { turnOutcome: "failed", lastMessage: "[API Error: 400 bad request]" },
  "gemini-rewound": { lastMessage: "Right way.", messageCount: 2 }, // other messages were rewound
  kimi: failedAfter(26, "400 the model is broken"),
  "kimi-interrupted": { turnOutcome: "interrupted" },
};
test.each(Object.entries(telling))("%s.jsonl has these facts: %j", (name, facts) => {
  const read = readWhole(`${name}.jsonl`);
  expect(read).toMatchObject(facts);
  if (name.startsWith("droid") && !("turnOutcome" in facts)) expect(read).not.toHaveProperty("turnOutcome");
});

describe("Claude Code's transcript", () => {
  test("has no answer, instead of an earlier turn's, while the answer is late", () => {
    const facts = readWhole("claude-lagging.jsonl");
    for (const name of ["lastMessage", "turnOutcome", "turnMs"]) expect(facts).not.toHaveProperty(name);
  });

  test("has no branch for a detached head", () => {
    expect(readWhole("claude-custom-title.jsonl")).not.toHaveProperty("branch");
  });

  test("marks token counts of a part as partial", () => {
    const lines = fixture("claude-turns.jsonl").split(/(?<=\n)/);
    const { title, tokens } = claudeTranscript.read({ head: lines[0] ?? "", tail: lines.at(-1) ?? "" });
    expect(title).toBe("An older title");
    expect(tokens).toEqual({ input: 10, output: 20, cacheRead: 1000, cacheWrite: 100, partial: true });
  });
});

describe("Codex's transcript", () => {
  test("has the thread's newest name, from the index", () => {
    expect(readWhole("codex-aborted.jsonl", "codex-session-index.jsonl").title).toBe("Repair the login");
  });

  test("has the name of a thread whose first line is too long to be read", () => {
    const lines = fixture("payloads/transcripts/codex.jsonl").split(/(?<=\n)/);
    const companion = '{"id":"01a1f98c-06e2-7d01-a813-17d5c1d902de","thread_name":"Say hi"}\n';
    const facts = codexTranscript.read({ head: "", tail: lines.slice(6).join(""), companion });
    expect(facts).toMatchObject({ title: "Say hi", turnMs: 95 });
  });

  test("has its companion in Codex's own folder", () => {
    const path = join("/home/dev/.codex", "sessions", "2026", "11", "20", "rollout-x.jsonl");
    expect(codexTranscript.companion?.(path)).toBe(join("/home/dev/.codex", "session_index.jsonl"));
  });
});

describe("Copilot's events", () => {
  const until = (text: string, mark: string) => text.slice(0, text.indexOf("\n", text.indexOf(mark)) + 1);
  const read = (text: string) => copilotTranscript.read({ head: text, tail: text });

  test("have the title from the neighbouring file, quoted or not", () => {
    expect(readWhole("copilot.jsonl", "copilot-workspace.yaml").title).toBe("please TOOL now");
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

  const line = (type: string, data: unknown) => JSON.stringify({ type, data, timestamp: "2026-11-21T11:00:00Z" });
  test("show that Copilot decided the last request on its own, unless an earlier one is open", () => {
    const asked = (requestId: string) => line("permission.requested", { requestId });
    const decided = (requestId: string, decisionSource = "host_policy") =>
      line("permission.completed", { requestId, decisionSource });
    const isDecided = (...lines: string[]) => read(lines.join("\n")).work?.isDecided === true;
    expect(isDecided(asked("r1"), decided("r1"))).toBe(true);
    expect(isDecided(asked("r1"), decided("r1", "human_response"))).toBe(false);
    expect(isDecided(asked("r1"), asked("r2"), decided("r2"))).toBe(false);
    expect(isDecided(asked("r0"), line("user.message", { content: "go" }), asked("r1"), decided("r1"))).toBe(true);
  });

  test("show a turn that the user ended", () => {
    const text = [line("user.message", { content: "go" }), line("abort", { reason: "user initiated" })].join("\n");
    expect(read(text).turnOutcome).toBe("interrupted");
  });
});

describe("Droid's transcript", () => {
  test("has a message count if the whole file was read, whatever the length of its head", () => {
    const [first = "", ...rest] = fixture("droid-at-stop.jsonl").split(/(?<=\n)/);
    const tail = rest.join("");
    expect(droidTranscript.read({ head: first, tail: first + tail })).toMatchObject({ ...firstTurn, messageCount: 3 });
    for (const head of [first, ""]) expect(droidTranscript.read({ head, tail })).not.toHaveProperty("messageCount");
    expect(droidTranscript.read({ head: first, tail })).toMatchObject(firstTurn);
  });

  test("skips rows about hooks, whatever they contain", () => {
    const row = { role: "user", content: "Hook failed", visibility: "user_only", hookEventName: "Stop" };
    const text = `${fixture("droid-at-stop.jsonl")}${JSON.stringify({ type: "message", message: row })}\n`;
    const facts = droidTranscript.read({ head: text, tail: text });
    expect(facts).toMatchObject(firstTurn);
    expect(facts).not.toHaveProperty("turnOutcome");
  });

  test("has the settings file next to it as companion", () => {
    const path = "/home/dev/.factory/sessions/-x/a.b";
    expect(droidTranscript.companion?.(`${path}.jsonl`)).toBe(`${path}.settings.json`);
  });
});

describe("Grok Build's updates", () => {
  const read = (...lines: string[]) => grokTranscript.read({ head: lines.join("\n"), tail: lines.join("\n") });

  test("have the title from the neighbouring file", () => {
    expect(readWhole("grok.jsonl", "grok-summary.json").title).toBe("All done: the tests pass.");
  });

  test("show a failed turn with the service's message, and a turn that the user ended", () => {
    const lines = fixture("grok.jsonl").split("\n");
    const upTo = (mark: string) => read(...lines.slice(0, lines.findIndex((line) => line.includes(mark)) + 1));
    const words = "API error (status 400 Bad Request): invalid_request_error: the model is broken";
    expect(upTo('"stop_reason":"error"')).toMatchObject(failedAfter(261, words));
    expect(upTo('"stop_reason":"cancelled"')).toMatchObject({ turnOutcome: "interrupted" });
  });

  test("join the chunks of one message, and no others", () => {
    const chunk = (kind: string, text: string, meta: object = {}) => {
      const update = { sessionUpdate: `${kind}_message_chunk`, content: { type: "text", text } };
      return JSON.stringify({ params: { update, _meta: { agentTimestampMs: 5, ...meta } } });
    };
    const said = (text: string, streamStartMs: number) => chunk("agent", text, { streamStartMs });
    const asked = [chunk("user", "do "), chunk("user", "it")];
    const facts = read(...asked, said("First", 1), said("All ", 2), said("done.", 2));
    expect(facts).toMatchObject({ lastMessage: "All done.", messageCount: 3 });
  });
});

test("Kimi Code's session record is found by the index of sessions", () => {
  const index = fixture("kimi-session-index.jsonl");
  const find = (id: string, text = index) => kimiTranscript.index?.find(text, id);
  const folder = "/home/dev/.kimi-code/sessions/wd_shop_d61d1c3237a0";
  const id = "session_bef8c8e5-1a18-422d-980b-73f539b5fbeb";
  expect(find(id)).toBe(`${folder}/${id}/agents/main/wire.jsonl`);
  expect(find("session_0")).toBeUndefined();
  expect(find("a", '{"sessionId":"a","sessionDir":"../x"}\n{"sessionId":"a"')).toBeUndefined();
});

describe("define transcript", () => {
  const prompt = (content: unknown) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
  const opened = prompt("<ide_opened_file>a.ts</ide_opened_file>");
  const title = (tail: string, head = tail) => claudeTranscript.read({ head, tail }).title;

  test.each([
    ["its first prompt", prompt("fix the login") + prompt("now the tests"), "fix the login"],
    ["one line of it", prompt("fix\n\n  the \u001b[31mlogin"), "fix the login"],
    ["sixty characters of it", prompt("fix ".repeat(40)), `${"fix ".repeat(14)}fix…`],
    [
      "it with a secret masked",
      prompt(`${"move ".repeat(5)}postgres://shop:${"Kx7v".repeat(9)}@db`),
      `${"move ".repeat(5)}postgres://shop:[secret]@db`,
    ],
    ["the first one typed outside an editor", opened + prompt("fix it"), "fix it"],
  ])("a session without a title is named by %s", (_, transcript, called) => {
    expect(title(transcript)).toBe(called);
  });

  test("the prompt from a long session's beginning is used, and a title is preferred", () => {
    expect(title(prompt("now the tests"), prompt("fix the login"))).toBe("fix the login");
    const titled = `${prompt("fix the login")}{"type":"ai-title","aiTitle":"Repair the login"}\n`;
    expect(title(titled)).toBe("Repair the login");
  });
});

describe("turn", () => {
  const prompt: Step = { kind: "prompt", at: 1_000 };
  const call = (id: string): Step => ({ kind: "call", id, tool: "Bash", input: { command: `touch ${id}` }, at: 2_000 });
  const result = (id: string): Step => ({ kind: "result", id, at: 3_000 });
  const refused = (id: string): Step => ({ kind: "result", id, isRefused: true, at: 3_000 });
  const answer = (at: number, text = "All right."): Step => ({ kind: "answer", at, text });
  const completed: Step = { kind: "end", outcome: "completed" };
  const shell: Step = { kind: "task", id: "b1", of: "shell", call: "a" };

  test.each<[string, readonly Step[], string | undefined]>([
    ["is interrupted", [refused("a")], "interrupted"],
    ["is interrupted, whatever the agent's last text", [refused("a"), completed], "interrupted"],
    ["is interrupted if the agent only acknowledges it", [refused("a"), answer(4_000), completed], "interrupted"],
    ["goes on with another tool", [refused("a"), call("b"), result("b"), answer(4_000), completed], "completed"],
    ["goes on if the agent answered late", [refused("a"), answer(60_000), completed], "completed"],
    ["may also fail", [refused("a"), { kind: "end", outcome: "failed" }], "failed"],
  ])("a turn whose tool the user refused %s", (_, steps, outcome) => {
    expect(turnFacts([prompt, call("a"), ...steps], true).turnOutcome).toBe(outcome);
  });

  test("a hook's reason for the question is a part of the request, unless the hook allowed or denied the call", () => {
    const input = { command: "rm -rf /srv" };
    const content = [{ type: "tool_use", id: "t1", name: "Bash", input }];
    const read = (permissionDecision: string, toolUseID = "t1") => {
      const hookSpecificOutput = { permissionDecision, permissionDecisionReason: "Production data is near." };
      const stdout = `${JSON.stringify({ hookSpecificOutput })}\n`;
      const attachment = { type: "hook_success", hookEvent: "PreToolUse", toolUseID, stdout };
      const lines = [
        { type: "assistant", message: { role: "assistant", content } },
        { type: "attachment", attachment },
      ];
      const tail = lines.map((line) => JSON.stringify(line)).join("\n");
      return describeRequests(claudeTranscript.read({ head: "", tail }).work?.requests ?? []).message;
    };
    expect(read("ask")).toBe("Bash: rm -rf /srv\nA hook asks: Production data is near.");
    expect([read("allow"), read("ask", "t2")]).toEqual(["Bash: rm -rf /srv", "Bash: rm -rf /srv"]);
  });

  test("calls without a result wait for the user, except those of earlier turns", () => {
    const { openCalls, work } = turnFacts([prompt, call("x"), prompt, call("a"), call("b"), result("a")], true);
    expect(openCalls).toEqual(["b"]);
    expect(work.requests).toEqual([{ tool: "Bash", main: "touch b", others: [] }]);
  });

  test("a turn's background work runs until it ends, and that of earlier turns does not count", () => {
    const running = (...steps: Step[]) =>
      turnFacts([prompt, call("a"), shell, result("a"), ...steps], true).work.running;
    expect(running()).toEqual([{ id: "b1", of: "shell", name: "touch a" }]);
    expect(running({ kind: "task-end", id: "b1" })).toEqual([]);
    expect(running(prompt)).toEqual([]);
  });

  test("the newest 200 calls are followed, and the newest 20,000 lines are read", () => {
    const calls = Array.from({ length: 5_000 }, (_, index) => call(`call-${index}`));
    const { openCalls, work } = turnFacts([prompt, ...calls], true);
    expect([openCalls?.at(-1), work.requests.length]).toEqual(["call-4999", 200]);
    expect(parseRecords(`${"{}\n".repeat(30_000)}{}`)).toHaveLength(20_000);
  });

  test("the model has spoken unless a prompt, a call or a result came last", () => {
    const hasSpoken = (...steps: Step[]) => turnFacts(steps, true).work.hasSpoken ?? false;
    expect([hasSpoken(), hasSpoken(prompt), hasSpoken(prompt, answer(2_000, "so"))]).toEqual([false, false, true]);
    const called = [prompt, answer(2_000, "I look"), call("a")];
    expect([hasSpoken(...called), hasSpoken(...called, result("a"))]).toEqual([false, false]);
    expect(hasSpoken(...called, result("a"), answer(3_000, "done"))).toBe(true);
  });

  test("a failed turn's text is plain, without the JSON around it", () => {
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
  test.each(hostile)("copes with %s", (_, text) => {
    expect(listTexts(format.read({ head: text, tail: text, companion: text }))).toEqual(expect.any(Array));
    expect(Object.hasOwn(Object.prototype, "type")).toBe(false);
  });

  test("has clean facts or none, whatever the lines and wherever they are cut", () => {
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
      for (const text of listTexts(facts)) {
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

describe("reading transcript records", () => {
  test("skips lines other than whole objects", () => {
    expect(parseRecords('{"a":1}\nnull\n[2]\n{"b":\n"c"\n {"d":3}\r\n')).toEqual([{ a: 1 }, { d: 3 }]);
  });

  test("returns every object that was written as a line", () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }));
    const check = (all: object[]): void => {
      const text = all.map((item) => JSON.stringify(item)).join("\n");
      expect(parseRecords(text)).toEqual(text === "" ? [] : text.split("\n").map((line) => JSON.parse(line)));
    };
    fc.assert(fc.property(objects, check), { numRuns: 300 });
  });
});

test.each([
  ["a text", "a", "a"],
  ["blocks of text", [{ type: "text", text: "a" }, { type: "tool_use" }, { type: "text", text: "b" }], "a\nb"],
  ["no text", [{ type: "tool_use" }], undefined],
  ["white space", " \n", undefined],
  ["nothing of the kind", 7, undefined],
])("the text of a content value is read from %s", (_, content, text) => {
  expect(readText(content)).toBe(text);
});

function listTexts(facts: Facts): string[] {
  return Object.values(facts).filter((value) => typeof value === "string");
}

test("a background sub-agent of Qwen Code runs until the agent is notified of its end", () => {
  const recorded = parseRecords(fixture("recordings/qwen/i-taskshell.jsonl"));
  const lines = recorded.flatMap(({ line }) => (line ? [`${JSON.stringify(line)}\n`] : []));
  const end = lines.findIndex((line) => line.includes("<task-notification>\\n"));
  const readRunning = (count: number) =>
    agentNamed("qwen")?.transcript?.read({ head: "", tail: lines.slice(0, count).join("") }).work?.running;
  const running = { id: "general-purpose-call_mwr78wou1b", of: "agent", name: "Create an empty marker file" };
  expect([readRunning(end), readRunning(end + 1)]).toEqual([[running], []]);
});

test("a typed prompt begins a turn of Claude Code, although it begins like a message from another agent", () => {
  const content = '<teammate-message teammate_id="ui">\nno findings\n</teammate-message>';
  const isReply = (more: object) => {
    const prompt = JSON.stringify({ type: "user", message: { role: "user", content }, ...more });
    return claudeTranscript.read({ head: "", tail: `${prompt}\n` }).work?.isReplyToMate;
  };
  expect([isReply({}), isReply({ promptSource: "typed" })]).toEqual([true, undefined]);
});

describe("a run of Claude Code that a limit ended", () => {
  const prompt = { type: "user", timestamp: "2026-11-27T14:39:12.654Z", message: { role: "user", content: "go" } };
  const attach = (attachment: object) => ({ type: "attachment", attachment });
  const cost = (totalCostUSD: number) => ({ type: "cost-state", totalCostUSD });
  const budget = attach({ type: "budget_usd", used: 0, total: 0.001, remaining: 0.001 });
  const answer = {
    type: "assistant",
    message: { id: "m", stop_reason: "end_turn", content: [{ type: "text", text: "Done." }] },
  };
  const turns = attach({ type: "max_turns_reached", maxTurns: 1, turnCount: 2 });
  test.each([
    ["after its last turn", [prompt, turns, cost(0.1)], "failed", "Reached max turns (1)"],
    ["after its budget", [prompt, budget, cost(0.0066)], "failed", "Exceeded USD budget (0.001)"],
    ["within its budget", [prompt, budget, cost(0.0005)], undefined, undefined],
    ["with its last answer, which cost more than the budget", [prompt, budget, answer, cost(1)], "completed", "Done."],
    ["without a budget", [prompt, cost(1)], undefined, undefined],
  ])("says so %s", (_, lines, turnOutcome, lastMessage) => {
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    const facts = claudeTranscript.read({ head: text, tail: `${text}\n` });
    expect([facts.turnOutcome, facts.lastMessage]).toEqual([turnOutcome, lastMessage]);
  });
});
