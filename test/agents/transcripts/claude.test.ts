import { describe, expect, test } from "vitest";
import { claudeTranscript } from "../../../src/agents/transcripts/claude.ts";
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
