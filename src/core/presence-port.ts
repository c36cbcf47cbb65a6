/** Known facts about the user's presence. Unknown facts are absent. */
export interface Presence {
  /** True if the agent's pane, its tab and its window have the focus. Absent unless this is certain. */
  readonly isFocused?: boolean;
  /** Time of the last key press in the agent's terminal, Unix milliseconds. */
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
   * Asks all sources of facts on this machine concurrently. Facts from a source that fails or is late are absent. Never
   * throws, starts no service, shows nothing.
   * @param limitMs longest time for the answers; default: 100 ms
   */
  ask(processes: readonly number[], limitMs?: number): Promise<Presence>;
  /**
   * Prepares a later call of `ask` for these processes, by loading what takes longer than 100 ms. Returns immediately.
   * Only the first call has an effect.
   */
  prepare(processes: readonly number[]): void;
  /** Returns the time of the last key press in the terminal of these processes, if known. Runs no program. */
  typedAtMs(processes: readonly number[]): number | undefined;
  /** Tells if a key press in the terminal of these processes would be noticed. */
  noticesKeys(processes: readonly number[]): boolean;
  /** Lists this user's processes with one of these names that are in a terminal. */
  findInTerminals(names: readonly string[]): readonly number[];
}
