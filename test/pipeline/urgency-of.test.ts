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
