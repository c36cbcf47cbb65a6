/** Known facts about the user's presence; unknown ones are absent. Instants are Unix milliseconds. */
export interface Presence {
  /** True if the agent's own terminal is in front: its pane, tab and window have the focus. Never true on a guess. */
  readonly isFocused?: boolean;
  /** Time of the last key press at the agent's own terminal. */
  readonly typedAtMs?: number;
  /** Time since the last input on this machine, milliseconds. */
  readonly idleMs?: number;
  readonly isLocked?: boolean;
  /** True if the desktop's do-not-disturb is on. */
  readonly isDoNotDisturb?: boolean;
}

/** Port for the presence of the user at this machine. */
export interface PresencePort {
  /**
   * Asks all of this machine's sources concurrently, for 100 ms at most. A source that fails or is late counts as
   * absent. Never throws, starts no service, shows nothing.
   * @param processes process ids from the hook up to the agent
   */
  ask(processes: readonly number[]): Promise<Presence>;
  /**
   * Announces a call of `ask` for these processes: loads what it needs, which takes longer than `ask` may. Returns at
   * once, and does nothing on later calls.
   */
  prepare(processes: readonly number[]): void;
  /** Returns the time of the last key press at these processes' terminal, without running a program, if known. */
  typedAtMs(processes: readonly number[]): number | undefined;
}
