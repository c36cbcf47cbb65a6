import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import type { RelayedState } from "../core/relayed-state.ts";

/**
 * What a record holds: an event, with its facts where another machine's beckon has judged it, or what became of some.
 */
export type TakenIn =
  | { readonly event: AgentEvent; readonly facts?: Facts }
  | { readonly host: string; readonly states: readonly RelayedState[] };
