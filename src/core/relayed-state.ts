/** What became of an event: somebody typed at its terminal, or it is over. */
export const relayedStates = ["noticed", "resolved"] as const;

/** What became of an event of another machine. */
export interface RelayedState {
  /** The event's id, as it was handed over. */
  readonly id: string;
  readonly state: (typeof relayedStates)[number];
  /** When, Unix milliseconds. */
  readonly atMs: number;
  /** What ended it, in the journal's words. */
  readonly by?: string | undefined;
}
