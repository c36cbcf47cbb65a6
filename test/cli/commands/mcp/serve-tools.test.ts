import { join } from "node:path";
import { expect, test } from "vitest";
import { countCall } from "../../../../src/cli/commands/mcp/serve-tools.ts";
import { freshFolder } from "../../../world/fresh-folder.ts";

function makeCounter() {
  const file = join(freshFolder(), "calls.json");
  return (session: string, nowMs: number) => countCall({ maxCalls: 2, session, file }, nowMs);
}

test("a limit allows its number of calls in any minute, and says how long to wait", () => {
  const count = makeCounter();
  expect([0, 10_000, 20_000].map((atMs) => count("a", atMs))).toEqual([undefined, undefined, 40_000]);
  expect([59_999, 60_000, 60_001].map((atMs) => count("a", atMs))).toEqual([1, undefined, 9_999]);
});

test("a session's servers share its limit, and other sessions do not", () => {
  const count = makeCounter();
  const first = [count("a", 0), count("b", 1), count("a", 2), count("b", 3)];
  expect(first).toEqual([undefined, undefined, undefined, undefined]);
  expect([count("a", 4), count("b", 5), count("a", 60_000)]).toEqual([59_996, 59_996, undefined]);
});
