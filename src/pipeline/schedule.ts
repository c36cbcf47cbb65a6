import type { DeliverySettings } from "../config/config.ts";
import type { Kind } from "../core/vocabulary.ts";

const jitter = 0.2;

/** When an event of that kind is not worth delivering any more, Unix milliseconds. */
export function expiresAtMs(atMs: number, kind: Kind, { expireMinutes }: DeliverySettings): number {
  return atMs + expireMinutes[kind] * 60_000;
}

/**
 * How long to wait after an attempt failed, whole milliseconds: a time with a fraction is not the one in a file's name.
 * @param attempt how many attempts were made, from 1
 * @param asked what the receiver asked for, if it did; never shortened
 */
export function waitMs(
  attempt: number,
  { retryDelaysSeconds }: DeliverySettings,
  asked?: number,
  random = Math.random(),
): number {
  const index = Math.min(attempt, retryDelaysSeconds.length) - 1;
  const own = (retryDelaysSeconds[index] ?? 0) * 1000 * (1 - jitter + 2 * jitter * random);
  return Math.ceil(Math.max(own, asked ?? 0));
}
