import * as z from "zod";
import { kinds } from "../core/vocabulary.ts";
import type { WebhookBody } from "../notifiers/shared/webhook-body.ts";
import { code, table } from "./markdown.ts";

const count = z.number().nonnegative();

const tokensSchema = z.object({
  input: count.exactOptional().describe("Sent to the model, without what came from a cache or went into one."),
  output: count.exactOptional().describe("Received from the model."),
  cacheRead: count.exactOptional().describe("Read from a cache."),
  cacheWrite: count.exactOptional().describe("Written to a cache."),
  thinking: count.exactOptional().describe("Spent on thinking, as the source counts it; often part of `output`."),
  credits: z.number().exactOptional().describe("Credits, where the agent counts them."),
  partial: z.literal(true).exactOptional().describe("Set when only the end of the session was read: at least so much."),
});

const sessionSchema = z.object({
  title: z.string().exactOptional().describe("The session's title."),
  summary: z.string().exactOptional().describe("One line made from the last assistant message."),
  lastMessage: z.string().exactOptional().describe("The last assistant message."),
  tokens: tokensSchema.exactOptional().describe("Token counts of the session."),
  turnMs: z.number().exactOptional().describe("How long the turn that just ended took, milliseconds."),
  messageCount: count.exactOptional().describe("Messages in the session."),
  status: z.string().exactOptional().describe("The session's status as the service names it."),
  model: z.string().exactOptional().describe("The model."),
  branch: z.string().exactOptional().describe("The git branch."),
  callingSessionId: z.string().exactOptional().describe("The session that started this one; set for a sub-agent's."),
  turnOutcome: z.enum(["completed", "failed", "interrupted"]).exactOptional().describe("How the last turn ended."),
});

const dataSchema = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("The same in every attempt to deliver this event."),
  event: z.string().describe("`Notification`, `Stop`, `SubagentStop`, `SessionEnd`, or an agent's own event."),
  agent: z.string().describe("The agent, as in `--agent`; `unknown` for one that beckon does not know."),
  kind: z.enum(kinds).describe("Why you are notified."),
  sessionId: z.string().exactOptional().describe("The agent's id of the session."),
  project: z.string().describe("The last part of the working directory."),
  cwd: z.string().exactOptional().describe("The working directory."),
  title: z.string().describe("The title of the message."),
  body: z.string().describe("The text of the message; may be empty."),
  message: z.string().exactOptional().describe("What the agent itself said with the event."),
  reason: z.string().exactOptional().describe("Why a session ended or a turn failed."),
  session: sessionSchema.describe("What was found out about the session; may be empty."),
});

/**
 * The schema of what `webhook`, `command` and `file` hand on. The compiler refuses a field of another type than
 * `WebhookBody` has; a test refuses a missing one.
 */
export const webhookBodySchema = z.object({
  type: z.string().describe("`agent.` and the event in kebab-case, e.g. `agent.session-end`."),
  timestamp: z.string().describe("When the hook took the event in, ISO 8601, UTC.").meta({ format: "date-time" }),
  data: dataSchema,
}) satisfies z.ZodType<WebhookBody>;

/** The JSON schema of `docs/webhook-body.schema.json`. Further fields are allowed: later versions may add some. */
export function webhookBodyJsonSchema(): object {
  const title = "An event, as the notifiers webhook, command and file hand it on";
  return { title, ...z.toJSONSchema(webhookBodySchema, { io: "input" }) };
}

/** Its fields as a table, those of objects by their path: `data.session.title`. */
export function webhookBodyTable(): string {
  return table(["Field", "Meaning", ""], fieldsOf(webhookBodySchema, ""));
}

function fieldsOf(schema: z.ZodObject, path: string): string[][] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const isOptional = field instanceof z.ZodExactOptional;
    const inner: unknown = isOptional ? field.unwrap() : field;
    const name = `${path}${key}`;
    const nested = inner instanceof z.ZodObject ? fieldsOf(inner, `${name}.`) : [];
    const row = [code(name), (field as z.ZodType).description ?? "", isOptional ? "optional" : ""];
    return [...(row[1] === "" ? [] : [row]), ...nested];
  });
}
