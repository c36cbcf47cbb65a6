import type { Message } from "./message.ts";
import { kebabCase } from "./words.ts";

/**
 * The JSON that the `webhook` notifier posts and the `command` notifier writes to its program:
 * `{"type":"agent.<event in kebab-case>","timestamp":"<ISO>","data":{…}}`. Absent facts are left out.
 */
export function webhookBody(message: Message): string {
  const { at, ...data } = message;
  return JSON.stringify({ type: `agent.${kebabCase(message.event)}`, timestamp: at, data });
}
