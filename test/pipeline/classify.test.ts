import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Facts } from "../../src/core/facts.ts";
import { classify, classifyEnd, skipEnd } from "../../src/pipeline/classify.ts";
import { type RecentEvent, recentEventOf } from "../../src/pipeline/recent-events.ts";
import { eventAt } from "../helpers/arriving-events.ts";

const stop: AgentEvent = {
  id: "id",
  atMs: 0,
  event: "Stop",
  nativeEvent: "Stop",
  agent: "droid",
  kind: "finished",
  project: "shop",
  extra: {},
};
const of = (event: string, kind: AgentEvent["kind"]): AgentEvent => ({ ...stop, event, nativeEvent: event, kind });

test.each<[string, AgentEvent, Facts, Partial<AgentEvent>]>([
  ["a Stop without facts is finished", stop, {}, { kind: "finished" }],
  ["a Stop of a completed turn is finished", stop, { turnOutcome: "completed" }, { kind: "finished" }],
  ["a Stop of a failed turn failed", stop, { turnOutcome: "failed" }, { kind: "failed" }],
  ["a Stop that was known to fail stays so", of("Stop", "failed"), { turnOutcome: "completed" }, { kind: "failed" }],
  ["a notification keeps its kind", of("Notification", "needs-you"), { turnOutcome: "failed" }, { kind: "needs-you" }],
  ["a session's end keeps its kind", of("SessionEnd", "info"), { turnOutcome: "failed" }, { kind: "info" }],
])("%s", (_, event, facts, expected) => {
  const classified = classify(event, facts);
  expect(classified).toMatchObject(expected);
  expect(skipEnd(classified, facts)).not.toHaveProperty("skip");
});

test.each<[string, AgentEvent, Facts]>([
  ["a Stop of a sub-agent's session", stop, { callingSessionId: "parent" }],
  ["an end of a sub-agent's session", of("SessionEnd", "failed"), { callingSessionId: "parent" }],
])("%s is skipped", (_, event, facts) => {
  expect(skipEnd(event, facts).skip).toBe("the end of a sub-agent's own session");
});

test("a turn that the user interrupted is skipped, a session's end after it is not", () => {
  expect(skipEnd(stop, { turnOutcome: "interrupted" }).skip).toBe("the user interrupted the turn");
  expect(skipEnd(of("SessionEnd", "failed"), { turnOutcome: "interrupted" })).not.toHaveProperty("skip");
});

test("a sub-agent that needs a person is not skipped", () => {
  expect(skipEnd(of("Notification", "needs-you"), { callingSessionId: "parent" })).not.toHaveProperty("skip");
});

test("an event that is skipped already keeps its reason", () => {
  expect(skipEnd({ ...stop, skip: "first" }, { callingSessionId: "parent" }).skip).toBe("first");
});

describe("a session's end for reason `other`", () => {
  const end = (afterMs: number, more: Partial<AgentEvent> = {}) =>
    eventAt("SessionEnd", afterMs, { reason: "other", ...more });
  const stop = recentEventOf(eventAt("Stop", 0), {});

  test.each<[string, readonly RecentEvent[], number, string]>([
    ["without a Stop before it is a failure", [], 0, "failed"],
    ["just after a Stop is the end of a headless run", [stop], 0, "info"],
    ["29.9 s after a Stop is the end of a headless run", [stop], 29_900, "info"],
    ["after a Stop that was skipped is the end of a headless run", [{ ...stop, skipped: true }], 1, "info"],
    ["30 s after a Stop is a failure", [stop], 30_000, "failed"],
  ])("%s", (_, earlier, afterMs, kind) => {
    expect(classifyEnd(end(afterMs), earlier).kind).toBe(kind);
  });

  test("is ordinary for an agent that gives no other reason", () => {
    expect(classifyEnd(end(0, { agent: "codex" }), []).kind).toBe("info");
    expect(classifyEnd(end(0, { agent: "droid" }), []).kind).toBe("failed");
  });
});

test("a session's end for any other reason keeps its kind", () => {
  expect(classifyEnd(eventAt("SessionEnd", 0, { reason: "exit" }), []).kind).toBe("info");
  expect(classifyEnd(eventAt("SessionEnd", 0, { reason: "error", kind: "failed" }), []).kind).toBe("failed");
});
