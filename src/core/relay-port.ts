import type { EventView } from "./event-view.ts";
import type { RelayedState } from "./relayed-state.ts";

/** Connection to the user's own machine, with the recipients for whom events are encrypted. */
export type RelayTransport = {
  /** Recipients for `age` encryption, `age1…`. If empty, only the connection is encrypted, not the events. */
  readonly seal: readonly string[];
} & (
  | {
      /** Events wait in a folder until the user's machine fetches them. */
      readonly via: "stdio";
    }
  | {
      /** A NATS server keeps the events. */
      readonly via: "nats";
      /** Addresses of one or more servers, such as `tls://host:4222`. */
      readonly servers: readonly string[];
      /** Credentials from this machine's invitation, as JSON. */
      readonly creds: string;
    }
);

/** Port for sending events to beckon on the user's own machine. */
export interface RelayPort {
  /**
   * Sends an event. A second call for the same event replaces what the first call sent.
   * @returns id of the event on the user's machine, the same for every call: `r_` and 43 of `[A-Za-z0-9_-]`, impossible
   * to guess
   * @throws {DeliveryError} `unavailable` if the event cannot be stored now, `rejected` for an invalid recipient,
   * `auth`
   */
  send(transport: RelayTransport, view: EventView): Promise<string>;
  /**
   * Sends new states of events. A state names its event by the id on this machine.
   * @throws {DeliveryError} like `send`
   */
  sendStates(transport: RelayTransport, states: readonly RelayedState[]): Promise<void>;
}
