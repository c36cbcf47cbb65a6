import type { HttpReply } from "./http-port.ts";
import { jsonOf } from "../notifiers/shared/reply-rules.ts";

const minMs = 1_000;
const maxMs = 6 * 3_600_000;

/** What RFC 9110 section 5.6.7 allows as a date, and ISO 8601, which some send. The engine's parser takes "abc 12" too. */
const date = /^[A-Z][a-z]{2,8},? .+|^\d{4}-\d{2}-\d{2}T.+Z$/;

/**
 * How long a receiver asks to be left alone, in milliseconds from `nowMs`, clamped to 1 s … 6 h. Reads `Retry-After`
 * (seconds or date, RFC 9110 section 10.2.3). Undefined where nothing sensible is said.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  return clamp(secondsOrDate(headers["retry-after"], nowMs));
}

/**
 * The same, in every form that services use: `Retry-After`; `retry_after` in seconds (Discord) or below `parameters`
 * (Telegram); `retry_after_ms` (Matrix); `X-RateLimit-Reset-After` (Discord), `X-RateLimit-Reset` and
 * `X-Limit-App-Reset` (Pushover; Unix seconds or, at Rocket.Chat, milliseconds, or seconds from now) and
 * `x-ogw-ratelimit-reset` (Feishu). The first that says something sensible counts. The reset headers stand on every
 * reply: they count only where `isTooFast`.
 */
export function askedWaitMs(
  { headers, body }: Pick<HttpReply, "headers" | "body">,
  nowMs: number,
  isTooFast: boolean,
): number | undefined {
  const json = jsonOf({ body });
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
    // The end of the month, whatever was too fast: it counts once the month's messages are used up.
    Number(headers["x-limit-app-remaining"] ?? 0) > 0 ? Number.NaN : untilReset(headers["x-limit-app-reset"], nowMs),
    seconds(headers["x-ogw-ratelimit-reset"]),
  ];
  if (isTooFast) asked.push(...reset);
  return clamp(asked.find((ms) => !Number.isNaN(ms)) ?? Number.NaN);
}

/** Milliseconds; NaN for what is no number of seconds. */
function seconds(value: unknown): number {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Number.NaN;
}

function secondsOrDate(value = "", nowMs: number): number {
  const ms = seconds(value);
  return Number.isNaN(ms) ? msUntil(value.trim(), nowMs) : ms;
}

/** More than a year of seconds is an instant, not a time to wait; more than three thousand years are milliseconds. */
function untilReset(value: string | undefined, nowMs: number): number {
  const ms = seconds(value);
  if (ms > 1e14) return ms / 1000 - nowMs;
  return ms > 366 * 24 * 3_600_000 ? ms - nowMs : ms;
}

function msUntil(value: string, nowMs: number): number {
  if (!date.test(value)) return Number.NaN;
  const isZoned = value.endsWith("GMT") || value.endsWith("Z");
  return Date.parse(isZoned ? value : `${value} GMT`) - nowMs;
}

function clamp(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.min(maxMs, Math.max(minMs, Math.round(ms)));
}
