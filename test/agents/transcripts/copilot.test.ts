import { describe, expect, test } from "vitest";
import { copilotTranscript } from "../../../src/agents/transcripts/copilot.ts";
import { fixture, shown, wholeOf } from "./fixture.ts";

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
