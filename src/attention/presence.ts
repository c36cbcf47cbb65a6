import type { Presence } from "../core/presence-port.ts";

/** Somebody who typed so shortly before the event still sits there. */
const stillThereMs = 15_000;
/** In front of a terminal that has the focus nobody may sit. */
const maxIdleMs = 60_000;

/** Whether the person looks at the agent's own terminal: typed there just now, or has it in front. Not known: no. */
export function isWatching(presence: Presence, sinceMs: number, nowMs: number): boolean {
  const { isFocused, isLocked, idleMs = 0, typedAtMs } = presence;
  if (isLocked) return false;
  if (typedAtMs !== undefined && typedAtMs <= nowMs && typedAtMs >= sinceMs - stillThereMs) return true;
  return isFocused === true && idleMs <= maxIdleMs;
}

/** Whether the person is away from this machine: it is locked, or was not touched for so long. Not known: yes. */
export function isAway({ isLocked, idleMs, typedAtMs }: Presence, awayMs: number, nowMs: number): boolean {
  if (isLocked) return true;
  const sinceTypedMs = typedAtMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - typedAtMs);
  return Math.min(idleMs ?? Number.POSITIVE_INFINITY, sinceTypedMs) >= awayMs;
}
