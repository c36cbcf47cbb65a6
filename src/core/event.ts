import type { Facts, UsageLimit } from "./facts.ts";
import type { WithUndefined } from "./omit-undefined.ts";
import type { TerminalEnvironment } from "./terminal-environment.ts";
import type { HookEventName, Kind } from "./vocabulary.ts";

/** Folder in which a session started, as shown to the user. Worked out once and kept with the session. */
export interface Place {
  /** The folder itself or, inside a linked worktree, the same folder in the repository's main checkout. */
  readonly folder: string;
  /** Root of the linked worktree that contains the folder. */
  readonly worktree?: string | undefined;
  /** Path without symbolic links, if it differs. */
  readonly realPath?: string | undefined;
}

/**
 * Parsed and cleaned hook event. All texts except those in `extra` are safe to show: they contain no control
 * characters, terminal sequences or bidirectional overrides. An unknown fact is absent, never empty.
 */
export interface AgentEvent {
  /** Id of the event, the same for all delivery attempts; `[A-Za-z0-9_-]{1,64}`. */
  readonly id: string;
  /** Arrival time at the hook, Unix milliseconds. */
  readonly atMs: number;
  /**
   * `Notification`, `Stop`, `SubagentStop`, `SessionEnd`, `Prompt` or `Answer`. Any other native event keeps its own
   * name and has the kind `info`.
   */
  readonly event: HookEventName | (string & {});
  /** Agent's own name for the event, such as `AfterAgent` or `StopFailure`. */
  readonly nativeEvent: string;
  readonly agent: string;
  readonly kind: Kind;
  readonly sessionId?: string;
  /** Agent's id of the turn or prompt. Distinguishes a new event from a repeated one. */
  readonly turnId?: string;
  readonly cwd?: string;
  /** Name of the folder in which the session started; `unknown` if there is no folder. */
  readonly project: string;
  /** Absolute path of the folder in which the session started. */
  readonly projectDir?: string;
  /** Place of `projectDir`; absent until it was worked out. */
  readonly place?: Place;
  /** Other paths of `projectDir` that routes match: real paths, paths through links, and those in the main checkout. */
  readonly otherPaths?: readonly string[];
  /** Name of the agent's machine, if the user sits at another machine. Never taken from the payload. */
  readonly host?: string;
  readonly notificationType?: string;
  /** Dialog with a question of an MCP server, if the event opens or ends one. */
  readonly dialog?: ServerDialog;
  /** Title of a message that `beckon send` or an agent's tool sent. */
  readonly headline?: string;
  /** Name of the command that `beckon run` ran. Messages show the name in place of the agent's. */
  readonly program?: string;
  readonly message?: string;
  /** The message without the arguments of other programs' tools; absent if the message has no such arguments. */
  readonly brief?: string;
  readonly reason?: string;
  /** Assistant's last message, if the payload has it. */
  readonly lastMessage?: string;
  /** Usage limit that a notice of beckon's own is about. */
  readonly limit?: UsageLimit;
  /** Length of the ended turn in milliseconds, if the payload has it. */
  readonly turnMs?: number;
  /** Absolute path of the session's transcript. Nothing checks whether the file exists. */
  readonly transcriptPath?: string;
  /** Ids of the processes that called the hook, nearest first, as far as the launcher found them. */
  readonly processes?: readonly number[];
  /** Ids and names of the processes that called the hook, nearest first, eight at most. */
  readonly callers?: readonly (readonly [pid: number, name: string])[];
  /** Terminal of the session, as found in the hook's environment. */
  readonly terminal?: TerminalEnvironment;
  /** Set if beckon on another machine judged the event. Paths and process ids then belong to that machine. */
  readonly isRelayed?: true;
  /** Set if the agent's hook waits until the event is delivered. */
  readonly isAwaited?: true;
  /** Names of the notifiers for a sample or for `beckon send --to`, instead of those that the routes choose. */
  readonly to?: readonly string[];
  /** Reason not to notify the user of the event, such as a repeat, an echo, a sub-agent's end, or a running task. */
  readonly skip?: string;
  /** Complete payload, not cleaned. Rules and lookups read it; it is never shown without cleaning. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Name of the agent of events that beckon's own commands and tools send. */
export const ownAgent = "cli";
/** Dialog with a question of an MCP server, as far as an event describes it. */
export interface ServerDialog {
  /** Set if the event says that the dialog was answered. */
  readonly isAnswered?: true;
  readonly server?: string;
  /** Server's id of the dialog; empty if the server gave none. */
  readonly id?: string;
  /** Beginning of the names of the server's tools, one of which is running. */
  readonly tools: string;
}

/** Tells if beckon's own command or tool sent an event, and not an agent's hook. */
export function isOwnMessage({ headline, program }: Pick<AgentEvent, "headline" | "program">): boolean {
  return headline !== undefined || program !== undefined;
}

/** Type of a notification whose text the user asked the agent to send. It waits for nobody. */
export const pushType = "push_notification";

/** Returns the name of the machine that relayed an event or session to this one; undefined if there is none. */
export function relayedFrom({ host, isRelayed }: WithUndefined<Pick<AgentEvent, "host" | "isRelayed">>) {
  return isRelayed ? host : undefined;
}

/** Event with the facts about its session. */
export interface EventView {
  readonly event: AgentEvent;
  readonly facts: Facts;
}
