import type { AgentEvent } from "../core/event.ts";
import type { AskOutcome } from "../pipeline/outgoing.ts";
import { makeReference } from "./open-asks.ts";

/** Requests of this worker that have ended, and those that were never held. */
export class EndedAsks {
  readonly #byId = new Map<string, { readonly event: AgentEvent; readonly outcome: AskOutcome | undefined }>();

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Adds a request. @param outcome end that its messages show; absent if nobody was asked elsewhere */
  add(event: AgentEvent, outcome?: AskOutcome): void {
    if (!this.#byId.has(event.id)) this.#byId.set(event.id, { event, outcome });
  }

  findOutcome({ id }: Pick<AgentEvent, "id">): AskOutcome | undefined {
    return this.#byId.get(id)?.outcome;
  }

  /** Finds the event of a request by the reference in its buttons. */
  findEvent(reference: string): AgentEvent | undefined {
    return [...this.#byId.values()].find(({ event }) => makeReference(event.id) === reference)?.event;
  }
}
