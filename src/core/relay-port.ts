import type { EventView } from "./event-view.ts";
import type { RelayedState } from "./relayed-state.ts";

/** Route of events to the user's machine, and the recipients they are encrypted for. */
export type RelayTransport = {
  /** Recipients of age, `age1…`. If empty, events are sent unencrypted over a connection that is itself encrypted. */
  readonly seal: readonly string[];
} & (
  | {
      /** Events wait in a folder until that machine fetches them. */
      readonly via: "stdio";
    }
  | {
      /** A NATS server keeps the events. */
      readonly via: "nats";
      /** Addresses such as `tls://host:4222`; one is enough. */
      readonly servers: readonly string[];
      /** Credentials of this machine's invitation, JSON. */
      readonly creds: string;
    }
);

/** Port for beckon on the user's own machine. */
export interface RelayPort {
  /**
   * Sends an event; a second call replaces the first.
   * @returns the event's id on that machine: `r_` and 43 of `[A-Za-z0-9_-]`, the same each time, and impossible to
   * guess
   * @throws {DeliveryError} `unavailable` if it cannot be stored now, `rejected` for an invalid recipient, `auth`
   */
  send(transport: RelayTransport, view: EventView): Promise<string>;
  /**
   * Sends the states of events, named by their ids on this machine.
   * @throws {DeliveryError} as `send`
   */
  sendStates(transport: RelayTransport, states: readonly RelayedState[]): Promise<void>;
}
