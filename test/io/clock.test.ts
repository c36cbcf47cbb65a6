import { expect, test } from "vitest";
import { createClock } from "../../src/io/clock.ts";

test("a wait lasts as long as it is told, and no longer than its signal", async () => {
  const { now, wait } = createClock();
  const startedAtMs = now();
  await wait(20);
  expect(now() - startedAtMs).toBeGreaterThanOrEqual(19);
  await wait(2 ** 30, AbortSignal.timeout(1));
  await wait(2 ** 30, AbortSignal.abort());
});
