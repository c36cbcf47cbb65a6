import type { TerminalEnvironment } from "./terminal-environment.ts";
import type { HookEventName, Kind } from "./vocabulary.ts";

/**
 * Parsed and cleaned hook event. Every text except those in `extra` is safe to show: no control characters, terminal
 * sequences or bidirectional overrides. Unknown facts are absent, never empty.
 */
export interface AgentEvent {
  /** Id shared by all attempts; `[A-Za-z0-9_-]{1,64}`. */
  readonly id: string;
  /** Arrival time at the hook, Unix milliseconds. */
  readonly atMs: number;
  /** One of the four events, a prompt, or the native event's name if it maps to none (then the kind is `info`). */
  readonly event: HookEventName | (string & {});
  /** Agent's own name for the event, such as `AfterAgent` or `StopFailure`. */
  readonly nativeEvent: string;
  readonly agent: string;
  readonly kind: Kind;
  readonly sessionId?: string;
  /** Agent's id of the turn or prompt; tells a repeat from a new event. */
  readonly turnId?: string;
  readonly cwd?: string;
  /** Name of the folder in which the session started; `unknown` without one. */
  readonly project: string;
  /** Absolute path of that folder. */
  readonly projectDir?: string;
  /** Same folder in the repository's main checkout, if the session started in a linked worktree. */
  readonly checkout?: string;
  /** Name of the agent's machine, if the user sits at another one. Never taken from the event's own text. */
  readonly host?: string;
  readonly notificationType?: string;
  readonly message?: string;
  readonly reason?: string;
  /** Assistant's last message, if the payload has it. */
  readonly lastMessage?: string;
  /** Absolute path of the session's transcript; not checked further. */
  readonly transcriptPath?: string;
  /** Process ids that ran the hook, nearest first, as far as the launcher found them. */
  readonly processes?: readonly number[];
  /** Processes that called the hook, with their names, nearest first, at most eight. */
  readonly callers?: readonly (readonly [pid: number, name: string])[];
  /** Terminal of the session, as found in the hook's environment. */
  readonly terminal?: TerminalEnvironment;
  /** Set if another machine's beckon judged it. Its paths and processes belong to that machine. */
  readonly isRelayed?: true;
  /** Set if the agent's hook waits for the delivery. */
  readonly isAwaited?: true;
  /** Reason for not sending it: a repeat, an echo, a sub-agent's own end, work that still goes on. */
  readonly skip?: string;
  /** Whole payload, not cleaned; for the agents' own rules, never for people. */
  readonly extra: Readonly<Record<string, unknown>>;
}

interface RelayOrigin {
  readonly host?: string | undefined;
  readonly isRelayed?: true | undefined;
}

/** Returns the machine whose beckon sent an event or a session; undefined for this machine. */
export function relayedFrom({ host, isRelayed }: RelayOrigin): string | undefined {
  return isRelayed ? host : undefined;
}
