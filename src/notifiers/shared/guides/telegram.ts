import * as z from "zod";
import { isSuccess, parseReply, type Rejection } from "../../../core/http-port.ts";
import { toList } from "../../../core/json-value.ts";
import type { FinderCall, FoundAnswer, SetupGuide } from "../../../core/setup-guide.ts";
import { notFrom } from "../reply-rules.ts";
import { type BotSettings, callBot, methodUrl } from "../telegram/bot.ts";

const chatSchema = z.object({
  id: z.int(),
  type: z.string(),
  title: z.string().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
});

const membershipSchema = z.object({ status: z.enum(["creator", "administrator", "member", "restricted"]) });
const postSchema = z.object({ chat: chatSchema });
/**
 * Update for a bot, limited to the kinds that name a chat: a message, a channel's post, and a change of the bot's
 * membership.
 */
const updateSchema = z.object({
  message: postSchema.optional().catch(undefined),
  channel_post: postSchema.optional().catch(undefined),
  my_chat_member: postSchema.extend({ new_chat_member: membershipSchema }).optional().catch(undefined),
});
/** Presses of buttons are left for the worker, so Telegram must go on keeping them. */
const updateKinds = [...Object.keys(updateSchema.shape), "callback_query"];

const botSchema = z.object({ username: z.string().regex(/^\w{1,64}$/) });

/** Explains failures that are common with a new bot. https://core.telegram.org/bots/api#getting-updates */
function explain(status: number): Rejection | undefined {
  if (status === 401 || status === 404) {
    const hint = "Copy the whole token from @BotFather: digits, a colon, then letters.";
    return { reason: "auth", message: `answered ${status} (wrong token)`, hint };
  }
  if (status !== 409) return undefined;
  const hint = "Another program or a webhook reads this bot's messages. Make a new bot for beckon, or enter the id.";
  return { reason: "rejected", message: "answered 409 (conflict)", hint };
}

/** Reads the bot's settings, which are not yet validated. */
function readBot({ server = "https://api.telegram.org", token }: FinderCall["settings"]): BotSettings {
  return { server: String(server), token: String(token) };
}

/** Calls a method of the Bot API and returns the method's result. @throws {DeliveryError} */
async function askBot(call: FinderCall, method: string, payload: object): Promise<unknown> {
  const { ca } = call.settings;
  const settings = { ...readBot(call.settings), ca: typeof ca === "string" ? ca : undefined };
  return await callBot({ ...call, settings }, method, payload, {
    classifyReply: (reply) =>
      isSuccess(reply) && parseReply(reply)?.["ok"] !== true ? notFrom("Telegram") : explain(reply.status),
  });
}

/** Names a chat as Telegram's apps do, with its type. */
function labelChat({ id, type, title, username, first_name, last_name }: z.output<typeof chatSchema>): string {
  const name = title ?? ([first_name, last_name].filter(Boolean).join(" ") || username) ?? String(id);
  return `${name} (${type === "private" ? "private chat" : type === "channel" ? "channel" : "group"})`;
}

/**
 * Lists the chats of the bot's unread updates, newest first. Every call names the wanted kinds of updates, because
 * Telegram remembers the last choice. No update is confirmed, so that other readers still get all updates.
 */
async function findChats(call: FinderCall): Promise<FoundAnswer[]> {
  const updates = toList(await askBot(call, "getUpdates", { limit: 100, timeout: 0, allowed_updates: updateKinds }));
  const chats = updates.flatMap((update) => {
    const { message, channel_post, my_chat_member } = updateSchema.safeParse(update).data ?? {};
    return (message ?? channel_post ?? my_chat_member)?.chat ?? [];
  });
  const byId = new Map(chats.toReversed().map((chat) => [String(chat.id), labelChat(chat)]));
  return [...byId].map(([value, label]) => ({ value, label }));
}

/** Guide for setting up Telegram. */
export const telegramGuide: SetupGuide = {
  intro: ["In Telegram, open @BotFather (https://t.me/BotFather), send /newbot, and choose two names for your bot."],
  where: {
    token: "It is in @BotFather's answer.",
    chatId: "Add @userinfobot to the chat, or write to it, to see the id.",
  },
  finders: {
    chatId: {
      credential: "token",
      account: (settings) => methodUrl(readBot(settings), ""),
      question: "Which chat should get the notifications?",
      done: "I have sent it",
      more: "Another chat, to which I have sent a message now",
      async prepare(call) {
        const { success, data } = botSchema.safeParse(await askBot(call, "getMe", {}));
        const bot = success ? `@${data.username}` : "your bot";
        return {
          lines: [
            `In Telegram, send ${bot} any message.`,
            "For a group, add the bot as a member instead; for a channel, as an administrator.",
          ],
          ...(success && { address: `https://t.me/${data.username}` }),
        };
      },
      find: findChats,
    },
  },
  ifSilent: [
    "Look for the message in the chat. If it is there, the chat is muted: open it, tap its name, and turn notifications on.",
    "Allow notifications for Telegram in the phone's settings.",
  ],
};
