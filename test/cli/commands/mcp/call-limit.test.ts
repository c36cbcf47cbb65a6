import { join } from "node:path";
import { expect, test } from "vitest";
import { CallLimit } from "../../../../src/cli/commands/mcp/call-limit.ts";
import { freshFolder } from "../../../world/fresh-folder.ts";

test("a limit allows its number of calls in any minute, and says how long to wait", () => {
  const limit = new CallLimit(2, { file: join(freshFolder(), "calls.json"), session: "a" });
  expect([limit.take(0), limit.take(10_000), limit.take(20_000)]).toEqual([undefined, undefined, 40_000]);
  expect([limit.take(59_999), limit.take(60_000), limit.take(60_001)]).toEqual([1, undefined, 9_999]);
});

test("a session's servers share its limit, and other sessions do not", () => {
  const file = join(freshFolder(), "calls.json");
  const take = (session: string, nowMs: number) => new CallLimit(2, { file, session }).take(nowMs);
  expect([take("a", 0), take("b", 1), take("a", 2), take("b", 3)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect([take("a", 4), take("b", 5), take("a", 60_000)]).toEqual([59_996, 59_996, undefined]);
});
