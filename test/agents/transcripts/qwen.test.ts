import { describe, expect, test } from "vitest";
import { qwenTranscript } from "../../../src/agents/transcripts/qwen.ts";
import { shown, wholeOf } from "./fixture.ts";

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
