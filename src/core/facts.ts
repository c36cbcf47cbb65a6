import * as z from "zod";

const count = z.number().nonnegative().exactOptional();
const text = z.string().exactOptional();

/** Token counts of a session, as far as the source has them. */
const tokenUsageSchema = z.object({
  input: count.describe("Sent to the model, without what came from a cache or went into one."),
  output: count.describe("Received from the model."),
  cacheRead: count.describe("Read from a cache."),
  cacheWrite: count.describe("Written to a cache."),
  thinking: count.describe("Spent on thinking, as the source counts it; often part of `output`."),
  credits: z.number().exactOptional().describe("Credits, where the agent counts them."),
  partial: z.literal(true).exactOptional().describe("Set when only the end of the session was read: at least so much."),
});
export type TokenUsage = Readonly<z.output<typeof tokenUsageSchema>>;

/**
 * Schema of what lookups find out about a session. Texts are cleaned; every field may be absent, since every source can
 * fail.
 */
export const factsSchema = z.object({
  title: text.describe("The session's title."),
  summary: text.describe("One line made from the last assistant message."),
  lastMessage: text.describe("The last assistant message."),
  tokens: tokenUsageSchema.exactOptional().describe("Token counts of the session."),
  turnMs: z.number().exactOptional().describe("How long the turn that just ended took, milliseconds."),
  messageCount: count.describe("Messages in the session."),
  status: text.describe("The session's status as the service names it."),
  model: text.describe("The model."),
  branch: text.describe("The git branch."),
  callingSessionId: text.describe("The session that started this one; set for a sub-agent's."),
  openCalls: z.array(z.string()).exactOptional().describe("Ids of the tool calls without a result, the newest ten."),
  stillRuns: text.describe("What still runs in the background, although the turn is over."),
  turnOutcome: z.enum(["completed", "failed", "interrupted"]).exactOptional().describe("How the last turn ended."),
});
export type Facts = Readonly<z.output<typeof factsSchema>>;

/** Work that goes on after its turn has ended. */
export interface RunningTask {
  readonly id: string;
  readonly of: "agent" | "shell";
  /** The command or the task, one line. */
  readonly name?: string;
}

/** What the last turn did, so that its events can be judged; not for notifiers. Times are Unix milliseconds. */
export interface TurnWork {
  readonly startedAtMs?: number;
  /** When the turn's last message was written. */
  readonly saidAtMs?: number;
  /** Set where the session is known to have no terminal. */
  readonly isHeadless?: true;
  /** Set where the agent refused by itself what nobody was there to allow. */
  readonly isUnattended?: true;
  /** Set where the model has not replied to the turn's prompt at all. */
  readonly isUnanswered?: true;
  /** What the calls without a result ask for, one line each. */
  readonly requests: readonly string[];
  /** What the turn started in the background and has not ended. */
  readonly running: readonly RunningTask[];
}

/** What lookups found out, with what only judging needs. */
export interface FoundFacts extends Facts {
  readonly work?: TurnWork;
}
