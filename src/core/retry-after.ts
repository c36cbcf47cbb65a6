import { dayMs } from "../text/time.ts";
import { type HttpReply, parseReply } from "./http-port.ts";

/** Shortest pause that a receiver may ask for: one second. A shorter pause is extended. */
const minRetryAfterMs = 1_000;
/** Longest pause that a receiver may ask for: six hours. A longer pause is cut. */
export const maxRetryAfterMs = 6 * 3_600_000;

/**
 * Date formats of RFC 9110 section 5.6.7, and ISO 8601, which some services send. Checked before parsing, because
 * `Date.parse` also accepts "abc 12".
 */
const datePattern = /^[A-Z][a-z]{2,8},? .+|^\d{4}-\d{2}-\d{2}T.+Z$/;

/**
 * Reads the pause from the header `Retry-After-Ms` (milliseconds) or `Retry-After` (seconds or a date, RFC 9110 section
 * 10.2.3). Returns milliseconds from `nowMs`, clamped to 1 s … 6 h; undefined if both headers are absent or malformed.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  return clamp(seconds(headers["retry-after-ms"]) / 1000) ?? clamp(secondsOrDate(headers["retry-after"], nowMs));
}

/**
 * Reads the pause that a reply asks for, in milliseconds, clamped to 1 s … 6 h. The first well-formed value counts.
 * Every reply has reset headers, so they are only read if `isRateLimited`.
 * - `Retry-After`: seconds or a date
 * - `retry_after` in the body: seconds (Discord; Telegram, under `parameters`), also as `retry-after` (Zulip)
 * - `retry_after_ms` in the body: milliseconds (Matrix)
 * - `X-RateLimit-Reset-After` (Discord) and `x-ogw-ratelimit-reset` (Feishu): seconds
 * - `X-RateLimit-Reset` and `X-Limit-App-Reset` (Pushover): seconds, or a Unix time in seconds or milliseconds
 *   (Rocket.Chat)
 */
export function readRequestedWaitMs(
  { headers, body }: Pick<HttpReply, "headers" | "body">,
  nowMs: number,
  isRateLimited: boolean,
): number | undefined {
  const json = parseReply({ body });
  const parameters = json?.["parameters"] as Readonly<Record<string, unknown>> | null | undefined;
  const asked: number[] = [
    secondsOrDate(headers["retry-after"], nowMs),
    seconds(json?.["retry_after"]),
    seconds(json?.["retry-after"]), // Zulip
    seconds(parameters?.["retry_after"]),
    seconds(json?.["retry_after_ms"]) / 1000,
  ];
  const reset = [
    seconds(headers["x-ratelimit-reset-after"]),
    untilReset(headers["x-ratelimit-reset"], nowMs),
    // This reset is always the end of the month. It counts only once the month's messages are used up.
    Number(headers["x-limit-app-remaining"] ?? 0) > 0 ? Number.NaN : untilReset(headers["x-limit-app-reset"], nowMs),
    seconds(headers["x-ogw-ratelimit-reset"]),
  ];
  if (isRateLimited) asked.push(...reset);
  return clamp(asked.find((ms) => !Number.isNaN(ms)) ?? Number.NaN);
}

/** Converts a number of seconds, or its text, to milliseconds; NaN for anything else. */
function seconds(value: unknown): number {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Number.NaN;
}

/** Converts a number of seconds or a date to milliseconds from `nowMs`; NaN for anything else. */
function secondsOrDate(value = "", nowMs: number): number {
  const ms = seconds(value);
  const date = value.trim();
  if (!Number.isNaN(ms) || !datePattern.test(date)) return ms;
  return Date.parse(/(?:GMT|Z)$/.test(date) ? date : `${date} GMT`) - nowMs;
}

/**
 * Converts a reset header to milliseconds from `nowMs`. A number of seconds above a year is taken as a Unix time. A
 * Unix time beyond the year 5000 is taken as milliseconds.
 */
function untilReset(value: string | undefined, nowMs: number): number {
  const ms = seconds(value);
  if (ms > 1e14) return ms / 1000 - nowMs;
  return ms > 366 * dayMs ? ms - nowMs : ms;
}

function clamp(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.min(maxRetryAfterMs, Math.max(minRetryAfterMs, Math.round(ms)));
}
