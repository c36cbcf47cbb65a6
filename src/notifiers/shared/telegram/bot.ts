import * as z from "zod";

/** Settings that identify a bot. */
export interface BotSettings {
  readonly server: string;
  readonly token: string;
}

/** Returns the address of a method of the Bot API. Contains the token. */
export function methodUrl({ server, token }: BotSettings, method: string): string {
  return `${server}/bot${token}/${method}`;
}

/**
 * Receipt of a message. Ids are unique within a chat only, and the chat in the settings may have changed. `content` is
 * the digest of a message with buttons for an answer.
 */
export const receiptSchema = z.object({ messageId: z.int(), chat: z.int(), content: z.string().optional() });

/** Maximum number of updates in one read. */
export const updatesLimit = 50;

/** Maximum size of a reply with updates, bytes. Each update contains a whole message in escaped form. */
export const maxUpdatesBytes = 2_097_152;
