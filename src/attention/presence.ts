import type { Presence } from "../core/presence-port.ts";

/** Longest time between typing and an event for the user to count as still there. */
const stillThereMs = 15_000;
/** Longest idle time for a user to count as sitting in front of a focused terminal. */
const maxIdleMs = 60_000;

/** True if the user is at the agent's own terminal: typed there recently, or has it in front. False if unknown. */
export function isWatching(presence: Presence, sinceMs: number, nowMs: number): boolean {
  const { isFocused, isLocked, idleMs = 0, typedAtMs } = presence;
  if (isLocked) return false;
  if (typedAtMs !== undefined && typedAtMs <= nowMs && typedAtMs >= sinceMs - stillThereMs) return true;
  return isFocused === true && idleMs <= maxIdleMs;
}

/** True if the user is away from this machine: it is locked, or idle for `awayMs`. True if unknown. */
export function isAway({ isLocked, idleMs, typedAtMs }: Presence, awayMs: number, nowMs: number): boolean {
  if (isLocked) return true;
  const sinceTypedMs = typedAtMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - typedAtMs);
  return Math.min(idleMs ?? Number.POSITIVE_INFINITY, sinceTypedMs) >= awayMs;
}
