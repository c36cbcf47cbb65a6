import { expect, test } from "vitest";
import { rankUrgency } from "../../src/pipeline/rank-urgency.ts";

test.each([
  [2, "Notification PermissionRequest notification"],
  [1, "Stop StopFailure AfterAgent agent-turn-complete errorOccurred"],
  [0, "SubagentStop SessionEnd PreCompact toString"],
])("the urgency is %d of %s", (urgency, events) => {
  for (const event of events.split(" ")) expect(rankUrgency({ v: 1, event }), event).toBe(urgency);
});

test("a torn record is not urgent", () => {
  expect(rankUrgency(undefined)).toBe(0);
});

test("messages held for the user are never evicted, and those waiting for a retry may be", () => {
  const makeHeader = (delivery: object) =>
    ({ v: 1, event: "Stop", state: { deliveries: { desk: delivery } } }) as const;
  const open = { status: "open", attempts: 1, dueAtMs: 5 };
  expect(rankUrgency(makeHeader({ ...open, isUndecided: true, heldFor: "silence" }))).toBe(Number.POSITIVE_INFINITY);
  expect(rankUrgency(makeHeader(open))).toBe(1);
  expect(rankUrgency({ v: 1, event: "Stop", state: "torn" })).toBe(1);
});
