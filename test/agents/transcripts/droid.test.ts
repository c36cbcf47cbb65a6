import { describe, expect, test } from "vitest";
import { droidTranscript } from "../../../src/agents/transcripts/droid.ts";
import { fixture, shown, wholeOf } from "./fixture.ts";

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
