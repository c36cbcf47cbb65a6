import { agentNamed } from "../agents/registry.ts";
import { isVagueRequest } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import { classify, skipByFacts } from "./classify.ts";
import { deduplicate } from "./deduplicate.ts";
import { type Postponement, type PostponeReason, postpone } from "./postpone.ts";
import type { RecentEvent } from "./recent-events.ts";

/** An event with its kind, and with a reason to skip it if there is one. */
export interface Judgement {
  readonly event: AgentEvent;
  /** The event as later ones are compared with it: the end of an interrupted turn is one, though nobody is told. */
  readonly remembered: AgentEvent;
  readonly facts: FoundFacts;
  /** Set where it is too early to tell: the event is to be judged again then. */
  readonly wait?: Postponement;
}

/** Circumstances in which an event is judged. */
export interface Circumstances {
  /** The session's recent events, earlier and later ones; perhaps the event itself, as judged before. */
  readonly events: readonly RecentEvent[];
  readonly nowMs: number;
  /** Reason for which the event was put off last; absent if it is judged for the first time. */
  readonly waitedFor?: PostponeReason | undefined;
}

/**
 * Judges an event by its facts and by the other events of its session. Pure: the same at any time, for an event that is
 * judged for the first time or again.
 */
export function judge(parsed: AgentEvent, facts: FoundFacts, { events, nowMs, waitedFor }: Circumstances): Judgement {
  const { id, atMs } = parsed;
  const others = events.filter((one) => one.id !== id);
  const earlier = others.filter((one) => one.atMs <= atMs);
  const classified = classify(nameRequest(parsed, facts), facts, earlier);
  const remembered = deduplicate(classified, facts, others);
  const event = skipByFacts(remembered, facts);
  if (event.skip !== undefined) return { event, remembered, facts };
  const later = others.filter((one) => one.atMs > atMs);
  const overtaken = postpone({ event, facts, later, waitedFor, nowMs });
  return { event, remembered: overtaken.event ?? remembered, facts, ...overtaken };
}

/** The event, with what it asks for as its message where only the transcript says it. */
function nameRequest(event: AgentEvent, facts: FoundFacts): AgentEvent {
  if (!isVagueRequest(event, agentNamed(event.agent))) return event;
  const requests = (facts.work?.requests ?? []).join(" · ");
  if (requests === "") return event;
  return { ...event, message: event.cwd === undefined ? requests : requests.replaceAll(`${event.cwd}/`, "") };
}
