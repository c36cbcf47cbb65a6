/** States of an event on another machine: somebody typed at its terminal, or it is resolved. */
export const relayedStates = ["noticed", "resolved"] as const;

/** State of another machine's event. */
export interface RelayedState {
  /** Id of the event on the machine that sent it. */
  readonly id: string;
  readonly state: (typeof relayedStates)[number];
  /** Time of the change, Unix milliseconds. */
  readonly atMs: number;
  /** Cause of the resolution, in the journal's words. */
  readonly by?: string | undefined;
}
