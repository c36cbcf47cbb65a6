import type { EventName, Kind } from "./vocabulary.ts";

/**
 * One firing of a hook, parsed and cleaned. Every text in it is safe to show: no control characters, no terminal
 * sequences, no bidirectional overrides. Absent facts are absent, never empty.
 */
export interface AgentEvent {
  /** Constant over all attempts; `[A-Za-z0-9_-]{1,64}`. */
  readonly id: string;
  /** When the hook took it in, Unix milliseconds. */
  readonly atMs: number;
  /** One of the four, or the agent's own name for a firing that maps onto none of them (always of kind `info`). */
  readonly event: EventName | (string & {});
  /** The agent's own name for the firing, e.g. `AfterAgent` or `StopFailure`. */
  readonly firing: string;
  readonly agent: string;
  readonly kind: Kind;
  readonly sessionId?: string;
  /** The agent's id of the turn or prompt, where it gives one; tells a repeat from a new firing. */
  readonly turnId?: string;
  readonly cwd?: string;
  /** Last part of `cwd`; `unknown` without one. */
  readonly project: string;
  readonly notificationType?: string;
  readonly message?: string;
  readonly reason?: string;
  /** What the assistant said last, where the payload carries it. */
  readonly lastMessage?: string;
  /** Absolute path of the session's transcript, unchecked. */
  readonly transcriptPath?: string;
  /** The processes that fired the hook, the nearest first, where the launcher could tell. */
  readonly processes?: readonly number[];
  /** Set when the payload alone shows that nobody should be called: an echo, a sub-agent's own end, a false end. */
  readonly skip?: string;
  /** The payload's other fields, untouched and unclean; for agents' own rules, never for people. */
  readonly extra: Readonly<Record<string, unknown>>;
}
