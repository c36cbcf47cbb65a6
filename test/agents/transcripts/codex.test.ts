import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codexTranscript } from "../../../src/agents/transcripts/codex.ts";
import { fixture, shown, wholeOf } from "./fixture.ts";

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
