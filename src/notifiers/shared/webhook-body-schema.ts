import * as z from "zod";
import { kinds } from "../../core/vocabulary.ts";
import { messageStates } from "./states.ts";

const count = z.number().nonnegative().exactOptional();
const text = z.string().exactOptional();

const tokenUsageSchema = z.object({
  input: count.describe("Sent to the model, without what came from a cache or went into one."),
  output: count.describe("Received from the model."),
  cacheRead: count.describe("Read from a cache."),
  cacheWrite: count.describe("Written to a cache."),
  thinking: count.describe("Spent on thinking, as the source counts it; often part of `output`."),
  credits: z.number().exactOptional().describe("Credits, where the agent counts them."),
  partial: z.literal(true).exactOptional().describe("Set when only the end of the session was read: at least so much."),
});

const factsSchema = z.object({
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
  nextRun: text.describe("When the session runs again by its own schedule, local time: `14:20`."),
  turnOutcome: z.enum(["completed", "failed", "interrupted"]).exactOptional().describe("How the last turn ended."),
});

const messageDataSchema = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe(
      "The message's id, the same in every attempt to deliver it: the event's own, with a number behind it where the event is told again.",
    ),
  state: z
    .enum(messageStates)
    .exactOptional()
    .describe("In `agent.alert` alone: what has become of the message with this `id`."),
  event: z.string().describe("`Notification`, `Stop`, `SubagentStop`, `SessionEnd`, or an agent's own event."),
  agent: z.string().describe("The agent, as in `--agent`; `unknown` for one that beckon does not know."),
  kind: z.enum(kinds).describe("Why you are notified."),
  sessionId: z.string().exactOptional().describe("The agent's id of the session."),
  project: z.string().describe("Name of the folder in which the session was begun."),
  cwd: z.string().exactOptional().describe("The working directory."),
  title: z.string().describe("The title of the message."),
  body: z.string().describe("The text of the message; may be empty."),
  message: z.string().exactOptional().describe("What the agent itself said with the event."),
  reason: z.string().exactOptional().describe("Why a session ended or a turn failed."),
  session: factsSchema.describe("What was found out about the session; may be empty."),
});

/**
 * Schema of the JSON that `webhook` posts, `command` writes to standard input and `file` appends to its file. Separate
 * from the code that builds that JSON, which a worker loads without the schema.
 */
export const webhookBodySchema = z.object({
  type: z
    .string()
    .describe(
      "`agent.` and the event in kebab-case, e.g. `agent.session-end`; `agent.alert` for what becomes of a message later.",
    ),
  timestamp: z
    .string()
    .describe("When the hook took the event in, or when the state was told, ISO 8601, UTC.")
    .meta({ format: "date-time" }),
  data: messageDataSchema,
});
export type WebhookBody = z.output<typeof webhookBodySchema>;
