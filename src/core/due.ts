const longestWaitMs = 36 * 3_600_000;

/**
 * Whether the time of something that waits has come. A time further ahead than anything here ever waits was written
 * while the clock was wrong, and counts as over: else a machine that starts in 2030 once would wait for years.
 */
export function isDue(atMs: number, nowMs: number): boolean {
  return !(atMs > nowMs && atMs <= nowMs + longestWaitMs);
}
