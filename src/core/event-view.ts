import type { AgentEvent } from "./event.ts";
import type { Facts } from "./facts.ts";

/** Event with the facts about its session. */
export interface EventView {
  readonly event: AgentEvent;
  readonly facts: Facts;
}
