import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Facts } from "../../src/core/facts.ts";
import { classify } from "../../src/pipeline/classify.ts";

const stop: AgentEvent = {
  id: "id",
  atMs: 0,
  event: "Stop",
  firing: "Stop",
  agent: "droid",
  kind: "finished",
  project: "shop",
  extra: {},
};
const of = (event: string, kind: AgentEvent["kind"]): AgentEvent => ({ ...stop, event, firing: event, kind });

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
  expect(classified).not.toHaveProperty("skip");
});

test.each<[string, AgentEvent, Facts]>([
  ["a Stop of a sub-agent's session", stop, { callingSessionId: "parent" }],
  ["an end of a sub-agent's session", of("SessionEnd", "failed"), { callingSessionId: "parent" }],
])("%s is skipped", (_, event, facts) => {
  expect(classify(event, facts).skip).toBe("the end of a sub-agent's own session");
});

test("a turn that the user interrupted is skipped, a session's end after it is not", () => {
  expect(classify(stop, { turnOutcome: "interrupted" }).skip).toBe("the user interrupted the turn");
  expect(classify(of("SessionEnd", "failed"), { turnOutcome: "interrupted" })).not.toHaveProperty("skip");
});

test("a sub-agent that needs somebody is not skipped", () => {
  expect(classify(of("Notification", "needs-you"), { callingSessionId: "parent" })).not.toHaveProperty("skip");
});

test("a reason to skip stays the first one", () => {
  expect(classify({ ...stop, skip: "first" }, { callingSessionId: "parent" }).skip).toBe("first");
});
