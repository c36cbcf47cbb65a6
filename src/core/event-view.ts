import type { AgentEvent } from "./event.ts";
import type { Facts } from "./facts.ts";

/** An event and what is known of its session. */
export interface EventView {
  readonly event: AgentEvent;
  readonly facts: Facts;
}
