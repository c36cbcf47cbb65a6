import * as z from "zod";
import { type Message, messageDataSchema } from "../../core/message.ts";
import { kebabCase } from "../../core/vocabulary.ts";

/**
 * Schema of the JSON that `webhook` posts, `command` writes to its program's standard input and `file` appends to its
 * file.
 */
export const webhookBodySchema = z.object({
  type: z.string().describe("`agent.` and the event in kebab-case, e.g. `agent.session-end`."),
  timestamp: z.string().describe("When the hook took the event in, ISO 8601, UTC.").meta({ format: "date-time" }),
  data: messageDataSchema,
});
export type WebhookBody = z.output<typeof webhookBodySchema>;

/**
 * A message in the shape Standard Webhooks recommends. Absent facts are left out.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#payload-structure
 */
export function webhookBody({ at, ...data }: Message): WebhookBody {
  return { type: `agent.${kebabCase(data.event)}`, timestamp: at, data };
}
