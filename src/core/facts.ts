/**
 * Token counts of a session, as far as the source has them. What each field means is in the schema of
 * `src/notifiers/shared/webhook-body.ts`.
 */
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
 * What lookups find out about a session. Texts are cleaned; every field may be absent, since every source can fail.
 * What each means is in the schema of `src/notifiers/shared/webhook-body.ts`.
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

/** Work that goes on after its turn has ended. */
export interface RunningTask {
  readonly id: string;
  readonly of: "agent" | "shell";
  /** The command or the task, one line. */
  readonly name?: string;
}

/** A tool call of the session, as its transcript has it. */
export interface ToolCall {
  readonly id: string;
  readonly tool?: string;
  readonly input?: unknown;
  /** When it began, and when it got its result or was allowed; Unix milliseconds. */
  readonly atMs?: number;
  readonly answeredAtMs?: number;
}

/** What the last turn did, so that its events can be judged; not for notifiers. Times are Unix milliseconds. */
export interface TurnWork {
  readonly startedAtMs?: number;
  /** Folder in which the session was begun, by the transcript's first lines. */
  readonly startedIn?: string;
  /** When the turn's last message was written. */
  readonly saidAtMs?: number;
  /** Set where the session is known to have no terminal. */
  readonly isHeadless?: true;
  /** Set if the agent itself granted or refused what it asked for last: nobody was asked. */
  readonly isDecided?: true;
  /** Set if the model has spoken since the turn's last prompt, call or result. */
  readonly hasSpoken?: true;
  /** What the calls without a result ask for, one line each. */
  readonly requests: readonly string[];
  /** The newest calls, of earlier turns too, oldest first; 30 at most. */
  readonly calls: readonly ToolCall[];
  /** Set if another agent's message began the last part of the turn, and only text came after it. */
  readonly isReplyToMate?: true;
  /** What the turn started in the background and has not ended. */
  readonly running: readonly RunningTask[];
}

/** What lookups found out, with what only judging needs. */
export interface FoundFacts extends Facts {
  readonly work?: TurnWork;
}

/** The last words of a turn may bear a time just after its end. */
const sameMomentMs = 500;
/** Least age of an earlier turn's answer at a turn's end: 5 s. */
const staleMs = 5_000;

/** Returns true if the transcript shows a prompt, an answer or a call after a turn's end. */
export function hasWorkedSince(atMs: number, { startedAtMs = 0, saidAtMs = 0, calls }: TurnWork): boolean {
  return Math.max(startedAtMs, saidAtMs, calls.at(-1)?.atMs ?? 0) > atMs + sameMomentMs;
}

/** Returns true if the transcript does not show the answer of a turn that ended at this time. */
export function lacksAnswer(atMs: number, { hasSpoken, saidAtMs }: TurnWork): boolean {
  return !hasSpoken || (saidAtMs !== undefined && saidAtMs < atMs - staleMs);
}
