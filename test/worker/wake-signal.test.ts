import { setImmediate as afterIo } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { WakeSignal } from "../../src/worker/wake-signal.ts";

const longMs = 60_000;

afterEach(() => vi.useRealTimers());

/** Whether a wait is over by now. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false;
  void wait.then(() => {
    over = true;
  });
  await afterIo();
  return over;
}

test("a notification that comes before anybody waits ends the next wait, and only that", async () => {
  const signal = new WakeSignal();
  signal.notify();
  expect(await isOver(signal.wait(longMs))).toBe(true);
  const second = signal.wait(longMs);
  expect(await isOver(second)).toBe(false);
  signal.notify();
  await second;
});

test("a notification ends a wait that is under way, and leaves no timer behind", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const signal = new WakeSignal();
  const wait = signal.wait(longMs);
  expect(await isOver(wait)).toBe(false);
  signal.notify();
  await wait;
  expect(vi.getTimerCount()).toBe(0);
});

test("a wait without a notification is over when its time is", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const wait = new WakeSignal().wait(500);
  vi.advanceTimersByTime(499);
  expect(await isOver(wait)).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await isOver(wait)).toBe(true);
});
