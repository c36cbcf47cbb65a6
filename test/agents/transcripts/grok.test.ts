import { describe, expect, test } from "vitest";
import { grokTranscript } from "../../../src/agents/transcripts/grok.ts";
import { fixture, shown, wholeOf } from "./fixture.ts";

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
