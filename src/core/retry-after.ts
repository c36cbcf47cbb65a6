const minMs = 1_000;
const maxMs = 6 * 3_600_000;

/** What RFC 9110 section 5.6.7 allows as a date, and ISO 8601, which some send. The engine's parser takes "abc 12" too. */
const date = /^[A-Z][a-z]{2,8},? .+|^\d{4}-\d{2}-\d{2}T.+Z$/;

/**
 * How long a receiver asks to be left alone, in milliseconds from `nowMs`, clamped to 1 s … 6 h. Reads `Retry-After`
 * (seconds or date, RFC 9110 section 10.2.3). Undefined where nothing sensible is said.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const value = headers["retry-after"]?.trim() ?? "";
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : msUntil(value, nowMs);
  return Number.isNaN(ms) ? undefined : Math.min(maxMs, Math.max(minMs, Math.round(ms)));
}

function msUntil(value: string, nowMs: number): number {
  if (!date.test(value)) return Number.NaN;
  const isZoned = value.endsWith("GMT") || value.endsWith("Z");
  return Date.parse(isZoned ? value : `${value} GMT`) - nowMs;
}
