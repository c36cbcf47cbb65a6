import { agentNamed } from "../agents/registry.ts";
import { isVagueRequest } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import { classify, skipByFacts } from "./classify.ts";
import { deduplicate } from "./deduplicate.ts";
import { type Postponement, type PostponeReason, postpone } from "./postpone.ts";
import type { RecentEvent } from "./recent-events.ts";

/** Event with its kind, and with a reason to skip it, if any. */
export interface Judgement {
  readonly event: AgentEvent;
  /** Event to compare later events with. Includes the end of an interrupted turn, which is not sent. */
  readonly remembered: AgentEvent;
  readonly facts: FoundFacts;
  /** Set if it is too early to decide; the event is then judged again later. */
  readonly wait?: Postponement;
}

/** Circumstances in which an event is judged. */
export interface Circumstances {
  /** Recent events of the session, earlier and later; may include this event from an earlier judgement. */
  readonly events: readonly RecentEvent[];
  readonly nowMs: number;
  /** Reason for its last postponement; absent on the first judgement. */
  readonly postponedFor?: PostponeReason | undefined;
}

/**
 * Judges an event by its facts and by other events of its session, for the first time or again. Pure: the result
 * depends only on the arguments.
 */
export function judge(
  parsed: AgentEvent,
  facts: FoundFacts,
  { events, nowMs, postponedFor }: Circumstances,
): Judgement {
  const { id, atMs } = parsed;
  const others = events.filter((other) => other.id !== id);
  const earlier = others.filter((other) => other.atMs <= atMs);
  const classified = classify(nameRequest(parsed, facts), facts, earlier);
  const remembered = deduplicate(classified, facts, others);
  const event = skipByFacts(remembered, facts);
  if (event.skip !== undefined) return { event, remembered, facts };
  const later = others.filter((other) => other.atMs > atMs);
  const postponed = postpone({ event, facts, later, postponedFor, nowMs });
  return { event, remembered: postponed.event ?? remembered, facts, ...postponed };
}

/** Takes an event's message from the transcript if the payload does not name the request. */
function nameRequest(event: AgentEvent, facts: FoundFacts): AgentEvent {
  if (!isVagueRequest(event, agentNamed(event.agent))) return event;
  const requests = (facts.work?.requests ?? []).join(" · ");
  if (requests === "") return event;
  return { ...event, message: event.cwd === undefined ? requests : requests.replaceAll(`${event.cwd}/`, "") };
}
