import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../src/core/retry-after.ts";

const nowMs = Date.UTC(2026, 10, 20, 12);

describe("retryAfterMs", () => {
  it.each([
    ["120", 120_000],
    ["1.5", 1_500],
    ["0", 1_000],
    [" 7 ", 7_000],
    ["Fri, 20 Nov 2026 12:01:00 GMT", 60_000],
    ["Fri, 20 Nov 2026 11:00:00 GMT", 1_000],
    ["99999999999", 6 * 3_600_000],
    ["", undefined],
    ["soon", undefined],
    ["Infinity", undefined],
  ])("reads %j as %s", (value, ms) => {
    expect(retryAfterMs({ "retry-after": value }, nowMs)).toBe(ms);
  });

  it("is undefined without the header", () => {
    expect(retryAfterMs({}, nowMs)).toBeUndefined();
  });

  it("stays between a second and six hours whatever is said", () => {
    const check = (value: string): void => {
      const ms = retryAfterMs({ "retry-after": value }, nowMs) ?? 1_000;
      expect(ms).toBeGreaterThanOrEqual(1_000);
      expect(ms).toBeLessThanOrEqual(6 * 3_600_000);
    };
    fc.assert(fc.property(fc.oneof(fc.string(), fc.float().map(String), fc.date().map(String)), check));
  });
});
