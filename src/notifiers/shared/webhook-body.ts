import type { Message } from "../../core/message.ts";
import { kebabCase } from "../../core/vocabulary.ts";

/** What the `webhook` notifier posts and the `command` notifier writes to its program's standard input. */
export interface WebhookBody {
  /** `agent.notification`, `agent.stop`, `agent.subagent-stop`, `agent.session-end`, or an agent's own event likewise. */
  readonly type: string;
  /** When the hook took the event in, ISO 8601. */
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
