import { beforeEach, vi } from "vitest";

/**
 * Stops the date in each test of a file or a `describe` block. Timers go on.
 * @param nowMs Unix milliseconds; 20 November 2026, noon UTC by default
 */
export function fixDate(nowMs: number = Date.parse("2026-11-20T12:00:00Z")): void {
  beforeEach(() => void vi.useFakeTimers({ now: nowMs, toFake: ["Date"] }));
}
