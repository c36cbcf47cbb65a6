import { expect, test } from "vitest";
import { urgencyOf } from "../../src/pipeline/urgency-of.ts";

test.each([
  ["Notification", 2],
  ["PermissionRequest", 2],
  ["notification", 2],
  ["Stop", 1],
  ["StopFailure", 1],
  ["AfterAgent", 1],
  ["agent-turn-complete", 1],
  ["errorOccurred", 1],
  ["SubagentStop", 0],
  ["SessionEnd", 0],
  ["PreCompact", 0],
  ["toString", 0],
])("the urgency of %s is %d", (event, urgency) => {
  expect(urgencyOf({ v: 1, event })).toBe(urgency);
});

test("what is no whole record is not urgent", () => {
  expect(urgencyOf(undefined)).toBe(0);
});

test("what is held for the person is never removed, what only waits for another attempt may be", () => {
  const stateOf = (delivery: object) => ({ v: 1, event: "Stop", state: { deliveries: { desk: delivery } } }) as const;
  const open = { status: "open", attempts: 1, dueAtMs: 5 };
  expect(urgencyOf(stateOf({ ...open, isUndecided: true, heldFor: "silence" }))).toBe(Number.POSITIVE_INFINITY);
  expect(urgencyOf(stateOf(open))).toBe(1);
  expect(urgencyOf({ v: 1, event: "Stop", state: "torn" })).toBe(1);
});
