import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { classify, classifyEnd, skipEnd } from "./classify.ts";
import { deduplicate } from "./deduplicate.ts";
import type { RecentEvents } from "./recent-events.ts";

/**
 * The event with its kind, and with a reason to skip it if there is one. Remembers it, since later events are compared
 * with it: hand in the events of a session in the order of their arrival.
 */
export function judge(parsed: AgentEvent, facts: Facts, recent: RecentEvents): AgentEvent {
  const earlier = recent.before(parsed);
  const event = deduplicate(classify(classifyEnd(parsed, earlier), facts), facts, earlier);
  recent.add(event, facts);
  return skipEnd(event, facts);
}
