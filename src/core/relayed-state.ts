/** States that another machine reports for its events: the user noticed the event, or its concern is resolved. */
export const relayedStates = ["noticed", "resolved"] as const;

/** Report that an event on another machine changed its state. */
export interface RelayedState {
  /** Id of the event on the machine that sent the event. */
  readonly id: string;
  readonly state: (typeof relayedStates)[number];
  /** Time of the change, Unix milliseconds. */
  readonly atMs: number;
  /** Cause of the change, as named in the journal. */
  readonly by?: string | undefined;
}
