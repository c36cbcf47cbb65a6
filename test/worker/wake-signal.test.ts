import { expect, test } from "vitest";
import { WakeSignal } from "../../src/worker/wake-signal.ts";

const longMs = 60_000;

test("a notification that comes before anybody waits ends the next wait, and only that", async () => {
  const signal = new WakeSignal();
  signal.notify();
  await signal.wait(longMs);
  const startedAtMs = performance.now();
  await signal.wait(50);
  expect(performance.now() - startedAtMs).toBeGreaterThan(40);
});

test("a notification ends a wait that is under way", async () => {
  const signal = new WakeSignal();
  const waited = signal.wait(longMs);
  signal.notify();
  await waited;
});
