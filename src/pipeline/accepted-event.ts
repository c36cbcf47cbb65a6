import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import type { Postponement } from "./postpone.ts";
import type { RouteResult } from "./route.ts";

/** Event that was looked up, judged, noted in its session's alert, routed and journalled. */
export interface AcceptedEvent {
  readonly event: AgentEvent;
  readonly facts: FoundFacts;
  readonly routed: RouteResult;
  /** Set if it is too early to send the event. The event is then judged again later. */
  readonly wait?: Postponement;
}
