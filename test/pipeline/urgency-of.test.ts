import { expect, test } from "vitest";
import { urgencyOf } from "../../src/pipeline/urgency-of.ts";

test.each([
  [2, "Notification PermissionRequest notification"],
  [1, "Stop StopFailure AfterAgent agent-turn-complete errorOccurred"],
  [0, "SubagentStop SessionEnd PreCompact toString"],
])("the urgency is %d of %s", (urgency, events) => {
  for (const event of events.split(" ")) expect(urgencyOf({ v: 1, event }), event).toBe(urgency);
});

test("a torn record is not urgent", () => {
  expect(urgencyOf(undefined)).toBe(0);
});

test("messages held for the user are never evicted, and those waiting for a retry may be", () => {
  const stateOf = (delivery: object) => ({ v: 1, event: "Stop", state: { deliveries: { desk: delivery } } }) as const;
  const open = { status: "open", attempts: 1, dueAtMs: 5 };
  expect(urgencyOf(stateOf({ ...open, isUndecided: true, heldFor: "silence" }))).toBe(Number.POSITIVE_INFINITY);
  expect(urgencyOf(stateOf(open))).toBe(1);
  expect(urgencyOf({ v: 1, event: "Stop", state: "torn" })).toBe(1);
});
