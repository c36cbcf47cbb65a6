import type { EventView } from "./event-view.ts";
import type { RelayedState } from "./relayed-state.ts";

/** How events get to the person's machine, and for whom they are sealed. */
export type RelayWay = {
  /** Recipients of age, `age1…`; none: they go as they are, over a connection that is encrypted anyway. */
  readonly seal: readonly string[];
} & (
  | {
      /** They wait in a folder until that machine fetches them. */
      readonly via: "stdio";
    }
  | {
      /** A server of NATS keeps them. */
      readonly via: "nats";
      /** `tls://host:4222`; one of them is enough. */
      readonly servers: readonly string[];
      /** The credentials of this machine's invitation, JSON. */
      readonly creds: string;
    }
);

/** The beckon of the person's own machine. */
export interface RelayPort {
  /**
   * Hands an event over; a second time it takes the place of the first.
   * @returns the id that it has there: `r_` and 43 of `[A-Za-z0-9_-]`, the same each time, and for nobody to guess
   * @throws {DeliveryError} `unavailable` where it cannot be stored now, `rejected` for a recipient that is none,
   * `auth`
   */
  send(way: RelayWay, view: EventView): Promise<string>;
  /**
   * Tells what became of events, named by their ids on this machine.
   * @throws {DeliveryError} as `send`
   */
  tell(way: RelayWay, states: readonly RelayedState[]): Promise<void>;
}
