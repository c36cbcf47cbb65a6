import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import type { RelayedState } from "../core/relayed-state.ts";

/** An event, with its facts where another machine's beckon has judged it. */
export interface HeardEvent {
  readonly event: AgentEvent;
  readonly facts?: Facts;
}

/** What a record holds: an event, or what became of some. */
export type TakenIn = HeardEvent | { readonly host: string; readonly states: readonly RelayedState[] };
