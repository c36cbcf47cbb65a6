import { setImmediate as afterIo } from "node:timers/promises";
import { expect, test } from "vitest";
import { WakeSignal } from "../../src/worker/run-worker.ts";
import { FakeClock } from "../world/fake-clock.ts";

const longMs = 60_000;

/** True once a wait has ended. */
async function hasEnded(wait: Promise<boolean>): Promise<boolean> {
  const pending = afterIo().then(() => "pending");
  return (await Promise.race([wait, pending])) !== "pending";
}

test("a notification before a wait ends the next wait only", async () => {
  const signal = new WakeSignal(new FakeClock());
  signal.notify();
  expect(await hasEnded(signal.wait(longMs))).toBe(true);
  const second = signal.wait(longMs);
  expect(await hasEnded(second)).toBe(false);
  signal.notify();
  expect(await second).toBe(true);
});

test("a notification ends a pending wait and leaves no timer behind", async () => {
  const clock = new FakeClock();
  const signal = new WakeSignal(clock);
  const wait = signal.wait(longMs);
  expect(await hasEnded(wait)).toBe(false);
  signal.notify();
  await wait;
  expect(clock.nextMs).toBeUndefined();
});

test("a wait without a notification ends on time", async () => {
  const clock = new FakeClock();
  const wait = new WakeSignal(clock).wait(500);
  await clock.advance(499);
  expect(await hasEnded(wait)).toBe(false);
  await clock.advance(1);
  expect(await wait).toBe(false);
});
