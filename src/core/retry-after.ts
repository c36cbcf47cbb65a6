const minMs = 1_000;
const maxMs = 6 * 3_600_000;

/**
 * How long a receiver asks to be left alone, in milliseconds from `nowMs`, clamped to 1 s … 6 h. Reads `Retry-After`
 * (seconds or date, RFC 9110 section 10.2.3). Undefined where nothing sensible is said.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.min(maxMs, Math.max(minMs, Math.round(ms))) : undefined;
}
