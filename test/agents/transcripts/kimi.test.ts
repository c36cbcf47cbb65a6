import { describe, expect, test } from "vitest";
import { kimiTranscript } from "../../../src/agents/transcripts/kimi.ts";
import { fixture, shown, wholeOf } from "./fixture.ts";

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
