import { agentNamed } from "../agents/registry.ts";
import { isVagueRequest } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import { classify, skipByFacts } from "./classify.ts";
import { deduplicate } from "./deduplicate.ts";
import { type Postponement, type PostponeReason, postpone } from "./postpone.ts";
import type { RecentEvent } from "./recent-events.ts";

/** Result of judging an event: the event with its kind, and a reason to skip it if there is one. */
export interface Judgement {
  readonly event: AgentEvent;
  /** Event with which later events are compared. An interrupted turn's end is used too, although it is not sent. */
  readonly remembered: AgentEvent;
  readonly facts: FoundFacts;
  /** Set if it is too early to decide. The event is then judged again later. */
  readonly wait?: Postponement;
}

/** Inputs for judging an event, apart from the event and its facts. */
export interface Circumstances {
  /** Recent events of the session, before and after this event. May include this event if it was judged before. */
  readonly events: readonly RecentEvent[];
  readonly nowMs: number;
  /** Reason why the event was last postponed; absent when it is judged for the first time. */
  readonly postponedFor?: PostponeReason | undefined;
  /** True while the event's hook waits for an answer. The event then repeats no other, though it may look like one. */
  readonly isHeld?: boolean | undefined;
}

/**
 * Judges an event by its facts and its session's other events, for the first time or again. Pure: the result depends
 * only on the arguments.
 */
export function judge(
  parsed: AgentEvent,
  facts: FoundFacts,
  { events, nowMs, postponedFor, isHeld }: Circumstances,
): Judgement {
  const { id, atMs } = parsed;
  const others = events.filter((other) => other.id !== id);
  const earlier = others.filter((other) => other.atMs <= atMs);
  const classified = classify(nameRequest(parsed, facts), facts, earlier);
  const remembered = isHeld ? classified : deduplicate(classified, facts, others);
  const event = skipByFacts(remembered, facts);
  if (event.skip !== undefined) return { event, remembered, facts };
  const later = others.filter((other) => other.atMs > atMs);
  const postponed = postpone({ event, facts, later, postponedFor, nowMs });
  return { event, remembered: postponed.event ?? remembered, facts, ...postponed };
}

/** Sets a request's message to the tool calls in the transcript, if the payload does not say what it asks for. */
function nameRequest(event: AgentEvent, facts: FoundFacts): AgentEvent {
  if (!isVagueRequest(event, agentNamed(event.agent))) return event;
  const requests = (facts.work?.requests ?? []).join(" · ");
  if (requests === "") return event;
  return { ...event, message: event.cwd === undefined ? requests : requests.replaceAll(`${event.cwd}/`, "") };
}
