import type { DeliverySettings } from "../config/config.ts";

/** Largest random change of a delay, as a fraction. Spreads the attempts of several events. */
const jitter = 0.2;

/**
 * Computes the wait after a failed attempt, in whole milliseconds because the due time becomes part of a file name.
 * @param attempt number of attempts made, from 1
 * @param askedMs wait that the receiver asked for; the result is never shorter
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

/** Time from the last attempt to the expiry, if the next regular attempt would come after the expiry: 30 s. */
const lastAttemptLeadMs = 30_000;

/**
 * Computes when the next attempt is due, Unix milliseconds: at `dueAtMs`, or 30 s before the expiry if `dueAtMs` is
 * after the expiry. Returns `dueAtMs` even then if fewer than 30 s are left, or if the receiver asked for a longer
 * pause.
 */
export function nextAttemptAtMs(
  dueAtMs: number,
  { nowMs, askedMs, expiresMs }: { readonly nowMs: number; readonly askedMs: number; readonly expiresMs: number },
): number {
  const lastAtMs = expiresMs - lastAttemptLeadMs;
  const canRetryOnce = lastAtMs > nowMs && lastAtMs >= nowMs + askedMs;
  return dueAtMs > expiresMs && canRetryOnce ? lastAtMs : dueAtMs;
}
