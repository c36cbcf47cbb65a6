/** Token counts of a session, as far as its source gives them. */
export interface TokenUsage {
  /** Sent to the model, without what came from a cache or went into one. */
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** As the source counts it; many count it in `output` as well. */
  readonly thinking?: number;
  readonly credits?: number;
  /** Set when only the end of the session was read: it used at least so much. */
  readonly partial?: true;
}

/** What lookups found out about a session. Texts are cleaned; every field is optional because every source can fail. */
export interface Facts {
  readonly title?: string;
  /** One line made from the last assistant message. */
  readonly summary?: string;
  readonly lastMessage?: string;
  readonly tokens?: TokenUsage;
  /** How long the turn that just ended took, milliseconds. */
  readonly turnMs?: number;
  readonly messageCount?: number;
  /** The session's status as the service names it, e.g. `idle`. */
  readonly status?: string;
  readonly model?: string;
  readonly branch?: string;
  /** The session that started this one: set on a sub-agent's own session. */
  readonly callingSessionId?: string;
  /** How the last turn ended, where the source tells. */
  readonly turnOutcome?: "completed" | "failed" | "interrupted";
}
