import type { AgentRequest } from "../text/request.ts";

/** Token counts and cost of a session. The schema in `src/notifiers/shared/webhook-body-schema.ts` describes each field. */
export interface TokenUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly thinking?: number;
  readonly credits?: number;
  readonly costUsd?: number;
  readonly partial?: true;
}

/** Used share of a limit that an agent's account has in a window of time. */
export interface UsageLimit {
  /** Agent's id of the limit and of the account's plan. */
  readonly id: string;
  /** Agent's name of the limit, if it is not the only one. */
  readonly name?: string;
  /** Length of the window, in milliseconds. */
  readonly windowMs: number;
  readonly usedPercent: number;
  /** End of the window, Unix milliseconds. */
  readonly resetsAtMs: number;
  /** Time when the agent recorded these figures, Unix milliseconds. */
  readonly atMs: number;
}

/**
 * Facts about a session from lookups. Texts are cleaned. Every field may be absent, because every source can fail. The
 * schema in `src/notifiers/shared/webhook-body-schema.ts` describes each field.
 */
export interface Facts {
  readonly title?: string;
  readonly summary?: string;
  readonly lastMessage?: string;
  readonly tokens?: TokenUsage;
  readonly turnMs?: number;
  readonly messageCount?: number;
  readonly status?: string;
  readonly model?: string;
  readonly branch?: string;
  readonly callingSessionId?: string;
  readonly openCalls?: string[];
  readonly stillRuns?: string;
  readonly nextRun?: string;
  readonly did?: { readonly files: number; readonly commands: number };
  readonly turnOutcome?: "completed" | "failed" | "interrupted";
}

/** Background task that is still running after its turn has ended. */
export interface RunningTask {
  readonly id: string;
  readonly of: "agent" | "shell";
  /** Command or task, in one line. */
  readonly name?: string;
}

/** Tool call of a session, as found in the transcript. */
export interface ToolCall {
  /** Id in the transcript; `agent/id` if a sub-agent made the call. */
  readonly id: string;
  /** Id of the sub-agent that made the call. */
  readonly agent?: string;
  readonly tool?: string;
  readonly input?: unknown;
  /** Time when the call began, Unix milliseconds. */
  readonly atMs?: number;
  /** Time when the call got its result or was allowed, Unix milliseconds. */
  readonly answeredAtMs?: number;
}

/** Work of tool calls, as found in a part of a transcript. */
export interface DoneWork {
  /** Edited files, and the commands that ran, which have no file; with the times of their calls, Unix milliseconds. */
  readonly calls: readonly { readonly atMs: number; readonly file?: string }[];
  /** Ids of the sub-agents that were started. */
  readonly agents: readonly string[];
}

/** Activity of a session's last turn. Used to judge events, not passed to notifiers. Times are Unix milliseconds. */
export interface TurnWork {
  readonly startedAtMs?: number;
  /** Folder in which the session started, from the transcript's first lines. */
  readonly startedIn?: string;
  /** Time of the assistant's last message in the turn, or of the turn's end. */
  readonly saidAtMs?: number;
  /** Place where the session was started: a terminal, a user's app such as an editor, or another program. */
  readonly origin?: "terminal" | "app" | "program" | undefined;
  /** Latest figures of the account's usage limits. */
  readonly limits?: readonly UsageLimit[];
  /** Set if the agent granted or refused the last request itself, without asking the user. */
  readonly isDecided?: true;
  /** Set if the model has written an answer since the turn's last prompt, call or result. */
  readonly hasSpoken?: true;
  /** Requests of the tool calls that have no result yet. */
  readonly requests: readonly AgentRequest[];
  /** Calls without a result that started a sub-agent, which may ask in their place, with their `requests`. */
  readonly spawns?: readonly { readonly id: string; readonly asks: AgentRequest | undefined }[];
  /** Newest 30 tool calls of this turn and earlier turns, oldest first. */
  readonly calls: readonly ToolCall[];
  /** Ids of all calls that got their result or were allowed, also of calls that began before the lines that were read. */
  readonly answered?: readonly unknown[];
  /** Set if a message from another agent began the last part of the turn, and the agent replied with text only. */
  readonly isReplyToMate?: true;
  /** Work of this turn's calls and of those of earlier turns. Absent if it was not wanted. */
  readonly done?: DoneWork;
  /** Set if the user interrupted the turn. */
  readonly isInterrupted?: true;
  /** Tasks that the turn started in the background and that are still running. */
  readonly running: readonly RunningTask[];
}

/** Facts from lookups, with the additional facts that are used only for judging. */
export interface FoundFacts extends Facts {
  readonly work?: TurnWork;
  /** Sizes of the session's transcripts when they were read. */
  readonly readTo?: ReadTo;
}

/** Offsets up to which a session's transcripts were read, by sub-agent; the session's own has an empty name. */
export type ReadTo = Readonly<Record<string, number>>;

/** Tolerance in milliseconds: the transcript may date the last line of a turn up to 500 ms after the turn's end. */
const lateLineMs = 500;
/** Maximum time between a turn's answer and its end, in milliseconds. An older answer belongs to an earlier turn. */
const minStaleAnswerMs = 5_000;

/** True if the transcript shows a prompt, answer or call more than 500 ms after `atMs`, the end of a turn. */
export function hasWorkedSince(atMs: number, { startedAtMs = 0, saidAtMs = 0, calls }: TurnWork): boolean {
  const lastCall = calls.findLast(({ agent }) => agent === undefined);
  return Math.max(startedAtMs, saidAtMs, lastCall?.atMs ?? 0) > atMs + lateLineMs;
}

/** True if the transcript does not yet contain the answer of the turn that ended at `atMs`. */
export function lacksAnswer(atMs: number, { hasSpoken, saidAtMs }: TurnWork): boolean {
  return !hasSpoken || (saidAtMs !== undefined && saidAtMs < atMs - minStaleAnswerMs);
}
