import type { Message } from "../../core/message.ts";
import { kebabCase } from "../../core/vocabulary.ts";

/** The JSON that `webhook` posts, `command` writes to its program's standard input and `file` appends to its file. */
export interface WebhookBody {
  /** `agent.` and the event in kebab case: `agent.notification`, `agent.subagent-stop` … */
  readonly type: string;
  /** When the hook received the event, ISO 8601. */
  readonly timestamp: string;
  readonly data: Omit<Message, "at">;
}

/**
 * A message in the shape Standard Webhooks recommends. Absent facts are left out.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#payload-structure
 */
export function webhookBody({ at, ...data }: Message): WebhookBody {
  return { type: `agent.${kebabCase(data.event)}`, timestamp: at, data };
}
