import { createHash } from "node:crypto";
import * as z from "zod";

const contentSchema = z.object({
  text: z.string(),
  reply_markup: z.object({
    inline_keyboard: z.array(z.array(z.object({ text: z.string(), callback_data: z.string() }))),
  }),
});

/**
 * Computes a digest of a message's text and buttons, as Telegram stores them; undefined if the message has no buttons.
 * Whoever has the bot's token can change both.
 */
export function digestContent(message: unknown): string | undefined {
  const { data } = contentSchema.safeParse(message);
  return data && createHash("sha256").update(JSON.stringify(data)).digest("base64url").slice(0, 22);
}
