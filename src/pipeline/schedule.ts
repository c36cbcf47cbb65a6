import type { DeliverySettings } from "../config/config.ts";
import type { Kind } from "../core/vocabulary.ts";

/** How far chance moves a delay, as a part of it, so that attempts of several events do not come all at once. */
const jitter = 0.2;

/** Until when an event of a kind is worth delivering, Unix milliseconds. */
export function expiresAtMs(atMs: number, kind: Kind, { expire }: Pick<DeliverySettings, "expire">): number {
  return atMs + expire[kind];
}

/**
 * How long to wait after a failed attempt, in whole milliseconds: the due time becomes part of a file's name.
 * @param attempt how many attempts were made, from 1
 * @param askedMs what the receiver asked for, if it did; never shortened
 */
export function waitMs(
  attempt: number,
  { retryDelays }: Pick<DeliverySettings, "retryDelays">,
  askedMs = 0,
  random = Math.random(),
): number {
  const delayMs = retryDelays[Math.max(1, Math.min(attempt, retryDelays.length)) - 1] ?? 0;
  return Math.ceil(Math.max(delayMs * (1 - jitter + 2 * jitter * random), askedMs));
}

/** Time between an event's last attempt and its expiry, if the next regular attempt would come later. */
const lastAttemptMs = 30_000;

/**
 * When the next attempt is due, Unix milliseconds: at `dueAtMs`, or a little before the expiry. After the expiry if
 * there is no time left, or if the receiver asked for a longer pause.
 */
export function nextAttemptAtMs(
  dueAtMs: number,
  { nowMs, askedMs, expiresMs }: { readonly nowMs: number; readonly askedMs: number; readonly expiresMs: number },
): number {
  const lastAtMs = expiresMs - lastAttemptMs;
  const isLastOpen = lastAtMs > nowMs && lastAtMs >= nowMs + askedMs;
  return dueAtMs > expiresMs && isLastOpen ? lastAtMs : dueAtMs;
}
