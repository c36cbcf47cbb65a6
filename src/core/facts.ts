/** Token counts of a session, if known. The schema in `src/notifiers/shared/webhook-body.ts` describes each field. */
export interface TokenUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly thinking?: number;
  readonly credits?: number;
  readonly partial?: true;
}

/**
 * Facts about a session from lookups. Texts are cleaned. Every field may be absent, because every source can fail. The
 * schema in `src/notifiers/shared/webhook-body.ts` describes each field.
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
  readonly turnOutcome?: "completed" | "failed" | "interrupted";
}

/** Task that still runs after its turn has ended. */
export interface RunningTask {
  readonly id: string;
  readonly of: "agent" | "shell";
  /** Command or task, in one line. */
  readonly name?: string;
}

/** Tool call of the session, from its transcript. */
export interface ToolCall {
  readonly id: string;
  readonly tool?: string;
  readonly input?: unknown;
  /** Time when it began, and when it got its result or was allowed; Unix milliseconds. */
  readonly atMs?: number;
  readonly answeredAtMs?: number;
}

/** Activity of the last turn, for judging its events; not for notifiers. Times are Unix milliseconds. */
export interface TurnWork {
  readonly startedAtMs?: number;
  /** Folder in which the session started, from the transcript's first lines. */
  readonly startedIn?: string;
  /** Time of the turn's last message. */
  readonly saidAtMs?: number;
  /** Set if the session is known to have no terminal. */
  readonly isHeadless?: true;
  /** Set if the agent granted or refused its last request on its own, without asking the user. */
  readonly isDecided?: true;
  /** Set if the model has spoken since the turn's last prompt, call or result. */
  readonly hasSpoken?: true;
  /** Requests of the calls without a result, one line each. */
  readonly requests: readonly string[];
  /** Newest calls, including those of earlier turns, oldest first; 30 at most. */
  readonly calls: readonly ToolCall[];
  /** Set if another agent's message began the last part of the turn, and only text came after it. */
  readonly isReplyToMate?: true;
  /** Tasks that the turn started in the background and that still run. */
  readonly running: readonly RunningTask[];
}

/** Facts from lookups, including those only used for judging. */
export interface FoundFacts extends Facts {
  readonly work?: TurnWork;
}

/** Longest time by which a turn's last words may be dated after its end. */
const lateLineMs = 500;
/** Least age of an earlier turn's answer at a turn's end: 5 s. */
const minStaleAnswerMs = 5_000;

/** True if the transcript shows a prompt, an answer or a call after a turn's end. */
export function hasWorkedSince(atMs: number, { startedAtMs = 0, saidAtMs = 0, calls }: TurnWork): boolean {
  return Math.max(startedAtMs, saidAtMs, calls.at(-1)?.atMs ?? 0) > atMs + lateLineMs;
}

/** True if the transcript lacks the answer of a turn that ended at this time. */
export function lacksAnswer(atMs: number, { hasSpoken, saidAtMs }: TurnWork): boolean {
  return !hasSpoken || (saidAtMs !== undefined && saidAtMs < atMs - minStaleAnswerMs);
}
