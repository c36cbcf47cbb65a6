import type { Message } from "../../core/message.ts";
import { kebabCase } from "../../core/vocabulary.ts";
import type { MessageState } from "./states.ts";
import type { WebhookBody } from "./webhook-body-schema.ts";

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
