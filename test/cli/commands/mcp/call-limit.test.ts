import { expect, test } from "vitest";
import { CallLimit } from "../../../../src/cli/commands/mcp/call-limit.ts";

test("a limit allows its number of calls in any minute, and says how long to wait", () => {
  const limit = new CallLimit(2);
  expect([limit.take(0), limit.take(10_000), limit.take(20_000)]).toEqual([undefined, undefined, 40_000]);
  expect([limit.take(59_999), limit.take(60_000), limit.take(60_001)]).toEqual([1, undefined, 9_999]);
});
