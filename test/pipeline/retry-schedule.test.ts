import fc from "fast-check";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { nextAttemptAtMs, waitMs } from "../../src/pipeline/retry-schedule.ts";

const { delivery } = await parseConfig(undefined);
const random = fc.double({ min: 0, max: 1, noNaN: true });

test("an attempt waits its delay, give or take a fifth; beyond the list, the last one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), random, (attempt, chance) => {
      const delays = delivery.retryDelays;
      const delayMs = delays[Math.min(attempt, delays.length) - 1] ?? 0;
      const wait = waitMs(attempt, delivery, undefined, chance);
      expect(wait).toBeGreaterThanOrEqual(delayMs * 0.8 - 1e-6);
      expect(wait).toBeLessThanOrEqual(delayMs * 1.2 + 1);
      expect(Number.isInteger(wait)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("jitter spreads the attempts apart", () => {
  expect(waitMs(1, delivery, undefined, 0)).toBe(4_000);
  expect(waitMs(1, delivery, undefined, 0.5)).toBe(5_000);
  expect(new Set(Array.from({ length: 20 }, () => waitMs(3, delivery))).size).toBeGreaterThan(10);
});

test("a receiver's pause is never shortened, and never shortens a delay", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(6 * 3_600_000), random, (attempt, asked, chance) => {
      const wait = waitMs(attempt, delivery, asked, chance);
      expect(wait).toBeGreaterThanOrEqual(asked);
      expect(wait).toBe(Math.max(asked, waitMs(attempt, delivery, undefined, chance)));
      expect(waitMs(attempt, delivery, asked + 0.4, chance)).toBeGreaterThanOrEqual(asked + 0.4);
    }),
    { numRuns: 200 },
  );
});

test("events expire after a time that depends on their kind", () => {
  const minutes = kinds.map((kind) => [kind, delivery.expire[kind] / 60_000]);
  expect(Object.fromEntries(minutes)).toEqual({ "needs-you": 15, failed: 24 * 60, finished: 6 * 60, info: 60 });
});

test.each([
  ["in time", 500_000, 0, 500_000],
  ["after the expiry moves to half a minute before the expiry", 1_500_000, 0, 870_000],
  ["after the expiry waits for the receiver's pause", 1_500_000, 300_000, 870_000],
  ["is too late if the receiver's pause leaves no time", 1_500_000, 880_000, 1_500_000],
])("an attempt %s", (_, dueAtMs, askedMs, atMs) => {
  expect(nextAttemptAtMs(dueAtMs, { nowMs: 1_000, askedMs, expiresMs: 900_000 })).toBe(atMs);
});

test("an event gets one last attempt, and none in its last half minute", () => {
  const expiresMs = 900_000;
  for (const nowMs of [870_000, 880_000])
    expect(nextAttemptAtMs(1_500_000, { nowMs, askedMs: 0, expiresMs })).toBeGreaterThan(expiresMs);
});
