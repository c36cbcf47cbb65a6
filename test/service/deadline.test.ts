import { getEventListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { Deadlines } from "../../src/service/deadline.ts";

/** Timers that keep the process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

test("a released deadline keeps neither the process alive nor a listener on the caller's signal", () => {
  const before = timers();
  const [deadlines, outer] = [new Deadlines(), new AbortController()];
  const deadline = deadlines.start(60_000, outer.signal);
  expect(timers()).toBe(before + 1);
  deadlines.release(deadline);
  expect([timers(), getEventListeners(outer.signal, "abort")]).toEqual([before, []]);
  outer.abort();
  expect([deadline.signal.aborted, deadline.ending]).toEqual([false, undefined]);
});

test("calls one after the other share a signal, and each has its whole time", async () => {
  const deadlines = new Deadlines();
  const first = deadlines.start(60, undefined);
  await wait(40);
  deadlines.release(first);
  const second = deadlines.start(60, undefined);
  await wait(40);
  expect([second.signal === first.signal, second.ending]).toEqual([true, undefined]);
  await expect.poll(() => second.ending, { interval: 5 }).toBe("deadline");
  expect(second.signal.aborted).toBe(true);
});

test("a time that passes between two calls ends neither", async () => {
  const deadlines = new Deadlines();
  deadlines.release(deadlines.start(5, undefined));
  await wait(30);
  const next = deadlines.start(60_000, undefined);
  expect([next.signal.aborted, next.leftMs() > 50_000]).toEqual([false, true]);
  deadlines.release(next);
});

test("a call with a shorter time than the one before ends after its own", async () => {
  const deadlines = new Deadlines();
  deadlines.release(deadlines.start(60_000, undefined));
  const later = deadlines.start(20, undefined);
  await expect.poll(() => later.ending, { interval: 5 }).toBe("deadline");
});

test("calls at the same time end each on its own, and an ended one is not used again", () => {
  const [deadlines, outer] = [new Deadlines(), new AbortController()];
  deadlines.release(deadlines.start(60_000, undefined));
  const [one, other] = [deadlines.start(60_000, outer.signal), deadlines.start(60_000, undefined)];
  outer.abort();
  expect([one.ending, other.ending, one.signal.aborted, other.signal.aborted]).toEqual([
    "caller",
    undefined,
    true,
    false,
  ]);
  deadlines.release(one);
  const third = deadlines.start(60_000, undefined);
  expect([third.signal.aborted, third.ending]).toEqual([false, undefined]);
  for (const deadline of [other, third]) deadlines.release(deadline);
});

test("of many calls at the same time one timer is left, and none of a call that was ended", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const deadlines = new Deadlines();
  const calls = [1, 2, 3].map(() => deadlines.start(60_000, undefined));
  for (const call of calls) deadlines.release(call);
  expect(vi.getTimerCount()).toBe(1);
  deadlines.release(deadlines.start(60_000, AbortSignal.abort()));
  expect(vi.getTimerCount()).toBe(0);
});
