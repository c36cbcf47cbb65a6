import type { TerminalEnvironment } from "./terminal-environment.ts";
import type { HookEventName, Kind } from "./vocabulary.ts";

/**
 * What a hook took in, parsed and cleaned. Every text but those of `extra` is safe to show: no control characters, no
 * terminal sequences, no bidirectional overrides. Facts that are not known are absent, never empty.
 */
export interface AgentEvent {
  /** The same for all attempts; `[A-Za-z0-9_-]{1,64}`. */
  readonly id: string;
  /** When the hook took it in, Unix milliseconds. */
  readonly atMs: number;
  /**
   * One of the four events, a prompt, or the native event's name where it maps to none of them (then the kind is
   * `info`).
   */
  readonly event: HookEventName | (string & {});
  /** The agent's own name for the event, e.g. `AfterAgent` or `StopFailure`. */
  readonly nativeEvent: string;
  readonly agent: string;
  readonly kind: Kind;
  readonly sessionId?: string;
  /** The agent's id of the turn or prompt; tells a repeat from a new event. */
  readonly turnId?: string;
  readonly cwd?: string;
  /** Name of the folder in which the session was begun; `unknown` without one. */
  readonly project: string;
  /** That folder, absolute. */
  readonly projectDir?: string;
  /** Its place in the repository's main checkout, if the session was begun in a linked worktree. */
  readonly checkout?: string;
  /**
   * Name of the agent's machine, where it is another than the one the person sits at. Never what an event's own text
   * says.
   */
  readonly host?: string;
  readonly notificationType?: string;
  readonly message?: string;
  readonly reason?: string;
  /** The assistant's last message, where the payload has it. */
  readonly lastMessage?: string;
  /** Absolute path of the session's transcript; not checked further. */
  readonly transcriptPath?: string;
  /** Processes that ran the hook, the nearest first, as far as the launcher could tell. */
  readonly processes?: readonly number[];
  /** Processes that called the hook, with their names, the nearest first, up to the eighth. */
  readonly callers?: readonly (readonly [pid: number, name: string])[];
  /** Where its terminal is, as far as the hook's environment told. */
  readonly terminal?: TerminalEnvironment;
  /** Set where another machine's beckon took it in and judged it: its paths and processes are not this machine's. */
  readonly isRelayed?: true;
  /** Set where the agent's hook waits for the delivery. */
  readonly isAwaited?: true;
  /** Why nobody should be told of the event: a repeat, an echo, a sub-agent's own end, work that still goes on. */
  readonly skip?: string;
  /** The whole payload, not cleaned; for the agents' own rules, never for people. */
  readonly extra: Readonly<Record<string, unknown>>;
}

interface MachineOf {
  readonly host?: string | undefined;
  readonly isRelayed?: true | undefined;
}

/** Name of the machine whose beckon handed an event, or a session, over; undefined for one of this machine. */
export function relayedFrom({ host, isRelayed }: MachineOf): string | undefined {
  return isRelayed ? host : undefined;
}
