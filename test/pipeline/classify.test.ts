import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { FoundFacts, TurnWork } from "../../src/core/facts.ts";
import { classify, skipByFacts } from "../../src/pipeline/judge.ts";
import { type RecentEvent, toRecentEvent } from "../../src/pipeline/recent-events.ts";
import { eventAt } from "../world/arriving-events.ts";

const stop = eventAt("Stop", 0, { agent: "droid" });
const startMs = stop.atMs;
const of = (event: string, kind: AgentEvent["kind"]): AgentEvent => ({ ...stop, event, nativeEvent: event, kind });

test.each<[string, AgentEvent, FoundFacts, Partial<AgentEvent>]>([
  ["a Stop without facts is finished", stop, {}, { kind: "finished" }],
  ["a Stop of a completed turn is finished", stop, { turnOutcome: "completed" }, { kind: "finished" }],
  ["a Stop of a failed turn failed", stop, { turnOutcome: "failed" }, { kind: "failed" }],
  ["a Stop known as a failure stays a failure", of("Stop", "failed"), { turnOutcome: "completed" }, { kind: "failed" }],
  ["a notification keeps its kind", of("Notification", "needs-you"), { turnOutcome: "failed" }, { kind: "needs-you" }],
])("%s", (_, event, facts, expected) => {
  const classified = skipByFacts(classify(event, facts, []), facts);
  expect(classified).toMatchObject(expected);
  expect(classified).not.toHaveProperty("skip");
});

const ofSubagent: FoundFacts = { callingSessionId: "parent" };
test.each<[string, AgentEvent, FoundFacts, string | undefined]>([
  ["a Stop of a sub-agent's session", stop, ofSubagent, "the end of a sub-agent's own session"],
  ["an end of a sub-agent's session", of("SessionEnd", "failed"), ofSubagent, "the end of a sub-agent's own session"],
  ["a sub-agent that needs the user", of("Notification", "needs-you"), ofSubagent, undefined],
  ["an event with an earlier reason", { ...stop, skip: "first" }, ofSubagent, "first"],
  ["a turn that the user interrupted", stop, { turnOutcome: "interrupted" }, "the user interrupted the turn"],
  ["the session's end after it", of("SessionEnd", "failed"), { turnOutcome: "interrupted" }, undefined],
])("the facts give the expected reason to skip %s", (_, event, facts, reason) => {
  expect(skipByFacts(event, facts).skip).toBe(reason);
});

const end = (afterMs: number, more: Partial<AgentEvent> = {}) =>
  eventAt("SessionEnd", afterMs, { reason: "other", ...more });
const stopped = toRecentEvent(eventAt("Stop", 0), {});
const work = (more: Partial<TurnWork> = {}): TurnWork => ({
  startedAtMs: startMs,
  requests: [],
  calls: [],
  running: [],
  ...more,
});

describe("a session's end for reason `other`", () => {
  test.each<[string, readonly RecentEvent[], number, FoundFacts, string]>([
    ["without a Stop before it is a failure", [], 0, {}, "failed"],
    ["just after a Stop ends a headless run", [stopped], 0, {}, "info"],
    ["29.9 s after a Stop ends a headless run", [stopped], 29_900, {}, "info"],
    ["after a skipped Stop ends a headless run", [{ ...stopped, skipped: true }], 1, {}, "info"],
    ["30 s after a Stop is a failure", [stopped], 30_000, {}, "failed"],
    ["after a completed turn is ordinary", [], 99_000, { turnOutcome: "completed" }, "info"],
    ["after a turn that the user interrupted is ordinary", [], 99_000, { turnOutcome: "interrupted" }, "info"],
    ["of an empty session is ignored", [], 0, { messageCount: 0, work: work() }, "info"],
    ["of an empty headless run is a failure", [], 0, { messageCount: 0, work: work({ isHeadless: true }) }, "failed"],
  ])("%s", (_, earlier, afterMs, facts, kind) => {
    expect(classify(end(afterMs), facts, earlier).kind).toBe(kind);
  });

  test("is ordinary if the agent gives no other reason", () => {
    const kinds = ["codex", "droid"].map((agent) => classify(end(0, { agent }), {}, []).kind);
    expect(kinds).toEqual(["info", "failed"]);
  });
});

describe("a session's end after a turn that failed", () => {
  const facts: FoundFacts = { turnOutcome: "failed", lastMessage: "400 too long", work: work() };
  const codexEnd = (afterMs: number) => end(afterMs, { agent: "codex" });

  test("is reported if the failure was not", () => {
    expect(classify(codexEnd(2_000), facts, [])).toMatchObject({ kind: "failed", message: "400 too long" });
  });

  test("is not reported if the turn's end was, or after a long time", () => {
    expect(classify(codexEnd(2_000), facts, [stopped]).kind).toBe("info");
    expect(classify(codexEnd(91_000), facts, []).kind).toBe("info");
  });

  test("is reported however long ago the prompt was", () => {
    const givenUp: FoundFacts = {
      turnOutcome: "failed",
      work: work({ startedAtMs: end(0).atMs - 300_000, saidAtMs: end(0).atMs }),
    };
    expect(classify(end(0, { agent: "gemini", reason: "exit" }), givenUp, [])).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("gave no answer"),
    });
  });
});

test("a session's end for any other reason keeps its kind", () => {
  expect(classify(eventAt("SessionEnd", 0, { reason: "exit" }), {}, []).kind).toBe("info");
  expect(classify(eventAt("SessionEnd", 0, { reason: "error", kind: "failed" }), {}, []).kind).toBe("failed");
});
