/** Token counts of a session, as far as the source has them. */
export interface TokenUsage {
  /** Sent to the model, without what was read from a cache or written to one. */
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** As the source counts it; many include it in `output` too. */
  readonly thinking?: number;
  readonly credits?: number;
  /** Set when only the end of the session was read: the counts are a lower bound. */
  readonly partial?: true;
}

/** What lookups found out about a session. Texts are cleaned; every field may be absent, since every source can fail. */
export interface Facts {
  readonly title?: string;
  /** One line made from `lastMessage`. */
  readonly summary?: string;
  readonly lastMessage?: string;
  readonly tokens?: TokenUsage;
  /** Duration of the turn that just ended, milliseconds. */
  readonly turnMs?: number;
  readonly messageCount?: number;
  /** The session's status as the service names it, e.g. `idle`. */
  readonly status?: string;
  readonly model?: string;
  readonly branch?: string;
  /** The session that started this one; set for a sub-agent's own session. */
  readonly callingSessionId?: string;
  /** How the last turn ended. */
  readonly turnOutcome?: "completed" | "failed" | "interrupted";
}
