/** What could be found out about the person; what is absent is not known. Instants are Unix milliseconds. */
export interface Presence {
  /** Whether the agent's own terminal is in front: its pane, tab and window have the focus. Never true on a guess. */
  readonly isFocused?: boolean;
  /** When somebody last typed at the agent's own terminal. */
  readonly typedAtMs?: number;
  /** How long nobody has touched this machine, milliseconds. */
  readonly idleMs?: number;
  readonly isLocked?: boolean;
  /** Whether the desktop's do-not-disturb is on. */
  readonly isDoNotDisturb?: boolean;
}

/** What can be known of the person who sits at this machine. */
export interface PresencePort {
  /**
   * Asks every source that this machine has at the same time, for 100 ms at most. A source that fails or is late counts
   * as absent. Never throws, starts no service, shows nothing.
   * @param processes process ids from the hook up to the agent
   */
  ask(processes: readonly number[]): Promise<Presence>;
  /**
   * Says that `ask` will soon be called for these processes: what it needs is loaded, which takes longer than a
   * question may. Returns at once, and does nothing the next time.
   */
  prepare(processes: readonly number[]): void;
  /**
   * When somebody last typed at the terminal of these processes, without asking any program; undefined if not known.
   */
  typedAtMs(processes: readonly number[]): number | undefined;
}
