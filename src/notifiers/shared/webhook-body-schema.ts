import * as z from "zod";
import type { Message } from "../../core/message.ts";
import { kebabCase, kinds } from "../../core/vocabulary.ts";
import { type MessageState, messageStates } from "./states.ts";

const count = z.number().nonnegative().exactOptional();
const text = z.string().exactOptional();

const tokenUsageSchema = z.object({
  input: count.describe("Tokens sent to the model, without those read from or written to a cache."),
  output: count.describe("Tokens received from the model."),
  cacheRead: count.describe("Tokens read from a cache."),
  cacheWrite: count.describe("Tokens written to a cache."),
  thinking: count.describe("Tokens spent on thinking, as the agent counts them; often also part of `output`."),
  credits: z.number().exactOptional().describe("Credits, where the agent counts them."),
  costUsd: z.number().exactOptional().describe("Cost in US dollars, as the agent estimates it."),
  partial: z
    .literal(true)
    .exactOptional()
    .describe("Set if only the end of the session was read, so that the true counts may be higher."),
});

const factsSchema = z.object({
  title: text.describe("The session's title."),
  summary: text.describe("One line made from the last assistant message."),
  lastMessage: text.describe("The last assistant message."),
  tokens: tokenUsageSchema.exactOptional().describe("Token counts of the session."),
  turnMs: z.number().exactOptional().describe("Duration of the last turn, milliseconds."),
  messageCount: count.describe("Messages in the session."),
  status: text.describe("The session's status as the service names it."),
  model: text.describe("The model."),
  branch: text.describe("The git branch."),
  callingSessionId: text.describe("The session that started this one, for sub-agents."),
  openCalls: z.array(z.string()).exactOptional().describe("Ids of the tool calls without a result, the newest ten."),
  stillRuns: text.describe("Work that continues in the background after the turn."),
  nextRun: text.describe("Local time at which the session's own schedule runs it next: `14:20`."),
  did: z
    .object({ files: z.number(), commands: z.number() })
    .exactOptional()
    .describe("Files that the turn edited and commands that it ran, if a template uses `{did}`."),
  turnOutcome: z.enum(["completed", "failed", "interrupted"]).exactOptional().describe("Outcome of the last turn."),
});

const messageDataSchema = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("Id of the message, the same in every delivery attempt. A reminder has its own."),
  state: z
    .enum(messageStates)
    .exactOptional()
    .describe("What happened to the message with this `id`; only in `agent.alert`."),
  event: z.string().describe("`Notification`, `Stop`, `SubagentStop`, `SessionEnd`, or an agent's own event."),
  agent: z.string().describe("The agent, as in `--agent`, or `unknown`."),
  kind: z.enum(kinds).describe("Kind of the event: the reason why you are notified."),
  sessionId: z.string().exactOptional().describe("Id of the session."),
  project: z.string().describe("Name of the folder in which the session started."),
  cwd: z.string().exactOptional().describe("Working directory."),
  title: z.string().describe("Title of the message."),
  body: z.string().describe("Text of the message; may be empty."),
  message: z.string().exactOptional().describe("The agent's own text for the event."),
  reason: z.string().exactOptional().describe("Why a session ended or a turn failed."),
  session: factsSchema.describe("Facts about the session, all optional."),
});

/** Schema of the JSON that `webhook` posts, `command` writes to standard input and `file` appends to its file. */
export const webhookBodySchema = z.object({
  type: z
    .string()
    .describe(
      "`agent.` and the event in kebab-case, such as `agent.session-end`, or `agent.alert` for a later change.",
    ),
  timestamp: z.string().describe("Time of the event or of the change, ISO 8601, UTC.").meta({ format: "date-time" }),
  data: messageDataSchema,
});

export type WebhookBody = z.output<typeof webhookBodySchema>;

/**
 * Builds the body of a message in the shape that Standard Webhooks recommends. Absent facts are left out.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#payload-structure
 */
export function webhookBody({ at, ...data }: Message): WebhookBody {
  return { type: `agent.${kebabCase(data.event)}`, timestamp: at, data };
}

/** Builds the body of a message's later state, in the same shape. */
export function stateBody(
  { at: _, ...data }: Message,
  { state, nowMs }: { readonly state: MessageState; readonly nowMs: number },
): WebhookBody {
  return { type: "agent.alert", timestamp: new Date(nowMs).toISOString(), data: { ...data, state } };
}
