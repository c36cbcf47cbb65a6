import { agentNamed } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { eventNames } from "../core/vocabulary.ts";
import { type RecentEvent, toRecentEvent } from "./recent-events.ts";

const repeatWindowMs = 2_000;

/**
 * Sets `skip` on an event that repeats another event: one with the same content within two seconds, because two hooks
 * ran; a request for the same calls under another notification type; or an echo by the agent's rules. Keeps an earlier
 * reason to skip.
 * @param facts facts about the event. Without facts, two different requests may look the same.
 * @param others events of the session that were judged earlier. Some may have begun later, because hooks run
 * concurrently.
 */
export function deduplicate(event: AgentEvent, facts: Facts, others: readonly RecentEvent[]): AgentEvent {
  const unskipped = others.filter(({ skipped }) => !skipped);
  if (unskipped.length === 0) return event;
  const earlier = unskipped.filter(({ atMs }) => atMs <= event.atMs);
  const current = toRecentEvent(event, facts);
  const skip =
    event.skip ?? findRepeat(current, unskipped) ?? findSameRequest(current, earlier) ?? findEcho(event, earlier);
  return { ...event, ...omitUndefined({ skip }) };
}

/** Fields that are equal in an event and its repeat. */
const comparedParts = ["event", "type", "turn", "kind", "text"] as const;

function findRepeat(current: RecentEvent, unskipped: readonly RecentEvent[]): string | undefined {
  if (!(eventNames as readonly string[]).includes(current.event)) return undefined;
  const isRepeat = unskipped.some(
    (other) =>
      Math.abs(current.atMs - other.atMs) < repeatWindowMs &&
      comparedParts.every((part) => other[part] === current[part]),
  );
  return isRepeat ? "a repeat within two seconds" : undefined;
}

/** Finds an earlier event of another notification type for which the same calls wait for the user. */
function findSameRequest({ calls, type }: RecentEvent, unskipped: readonly RecentEvent[]): string | undefined {
  const isKnown = calls !== undefined && unskipped.some((other) => other.calls === calls && other.type !== type);
  return isKnown ? "the same request under another name" : undefined;
}

function findEcho(event: AgentEvent, unskipped: readonly RecentEvent[]): string | undefined {
  const rule = agentNamed(event.agent)?.echoes?.find(
    ({ nativeEvent, notificationType, after, withinMs }) =>
      nativeEvent === event.nativeEvent &&
      (notificationType === undefined || notificationType === event.notificationType) &&
      unskipped.some((other) => other.nativeEvent === after && event.atMs - other.atMs < withinMs),
  );
  return rule && `an echo of the ${rule.after} before it`;
}
