import { describe, expect, test } from "vitest";
import { geminiTranscript } from "../../../src/agents/transcripts/gemini.ts";
import { shown, wholeOf } from "./fixture.ts";

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
