import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readRequestedWaitMs, retryAfterMs } from "../../src/core/retry-after.ts";

const nowMs = Date.parse("2026-11-20T12:00:00Z");
const hour = 3_600_000;
const dateIn = (ms: number): string => new Date(nowMs + ms).toUTCString();

describe("a Retry-After header", () => {
  test.each<[string, string, number | undefined]>([
    ["seconds", "120", 120_000],
    ["seconds between spaces", "  120 ", 120_000],
    ["parts of a second", "1.5", 1500],
    ["zero, which is soon", "0", 1000],
    ["a negative number, which is nonsense", "-5", undefined],
    ["a number with a sign", "+5", undefined],
    ["a number with an exponent", "1e3", undefined],
    ["a number with a unit", "120s", undefined],
    ["a duration in words", "5 minutes", undefined],
    ["a word", "abc", undefined],
    ["a word and a number", "abc 12", undefined],
    ["a year", "2027", 2_027_000],
    ["years", String(10 * 365 * 86_400), 6 * hour],
    ["more seconds than numbers can hold", "9".repeat(400), 6 * hour],
    ["NaN", "NaN", undefined],
    ["Infinity", "Infinity", undefined],
    ["hexadecimal", "0x10", undefined],
    ["nothing", "", undefined],
    ["spaces", "   ", undefined],
    ["two values joined", "10, 20", undefined],
    ["a future date", dateIn(90_000), 90_000],
    ["a past date", dateIn(-90_000), 1000],
    ["a date years ahead", dateIn(1000 * 24 * hour), 6 * hour],
    ["a date in the form of RFC 850", "Friday, 20-Nov-26 12:02:00 GMT", 120_000],
    ["a date in the form of asctime, which means UTC", "Fri Nov 20 12:02:00 2026", 120_000],
    ["a date in the form of ISO 8601", "2026-11-20T12:02:00Z", 120_000],
    ["a date that does not exist", "Fri, 99 Nov 2026 12:02:00 GMT", undefined],
  ])("%s", (_, value, ms) => {
    expect(retryAfterMs({ "retry-after": value }, nowMs)).toBe(ms);
  });

  test("that is absent gives undefined", () => {
    expect(retryAfterMs({ "x-retry-after": "5" }, nowMs)).toBeUndefined();
  });

  test("gives undefined or between a second and six hours, whatever its text", () => {
    const value = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.tuple(fc.constantFrom("Fri, ", "Fri Nov ", "2026-"), fc.string()).map((bits) => bits.join("")),
    );
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 4e12 }), (said, now) => {
        const ms = retryAfterMs({ "retry-after": said }, now);
        if (ms === undefined) return;
        expect(ms).toBeGreaterThanOrEqual(1000);
        expect(ms).toBeLessThanOrEqual(6 * hour);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a pause in a service-specific form", () => {
  const unixSeconds = String(nowMs / 1000 + 30);
  test.each<[string, Readonly<Record<string, string>>, unknown, number | undefined]>([
    ["Discord's body", {}, { retry_after: 2.5 }, 2_500],
    ["Telegram's body", {}, { parameters: { retry_after: 35 } }, 35_000],
    ["Matrix's body", {}, { retry_after_ms: 4_200 }, 4_200],
    ["Discord's header", { "x-ratelimit-reset-after": "1.2" }, {}, 1_200],
    ["seconds until the reset", { "x-ratelimit-reset": "12" }, {}, 12_000],
    ["the reset in Unix seconds", { "x-ratelimit-reset": unixSeconds }, {}, 30_000],
    ["Rocket.Chat's Unix milliseconds", { "x-ratelimit-reset": String(nowMs + 30_000) }, {}, 30_000],
    ["a past reset", { "x-ratelimit-reset": String(nowMs - 1) }, {}, 1_000],
    ["Feishu's header", { "x-ogw-ratelimit-reset": "7" }, {}, 7_000],
    ["the common header first", { "retry-after": "3", "x-ratelimit-reset": "12" }, { retry_after: 9 }, 3_000],
    ["nonsense first", { "retry-after": "soon", "x-ratelimit-reset": "12" }, { retry_after: "later" }, 12_000],
    ["null", {}, { parameters: null, retry_after: null }, undefined],
    ["nothing", {}, {}, undefined],
  ])("%s", (_, headers, body, ms) => {
    expect(readRequestedWaitMs({ headers, body: JSON.stringify(body) }, nowMs, true)).toBe(ms);
  });

  test("a reset header, which is in every reply, counts only for a rate limit", () => {
    expect(readRequestedWaitMs({ headers: { "x-ratelimit-reset": "12" }, body: "" }, nowMs, false)).toBeUndefined();
  });
});
