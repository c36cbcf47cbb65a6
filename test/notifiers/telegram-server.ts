import { answerJson, type HostileServer } from "../world/hostile-server.ts";
import { ann, startTelegramBotApi, TelegramBot, type TelegramMessage } from "../world/telegram-bot-api.ts";
import type { ReactionWorld } from "./contract/describe-reactions.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";

const token = `123456:${canary}`;
/** Chat that the settings name; other chats are unknown. */
const chat = -1001234567890;

/** A Bot API server, and its pending updates for the bot. */
export interface TelegramServer extends ReactionWorld {
  readonly requests: HostileServer["requests"];
  readonly updates: readonly { readonly update_id: number }[];
  /** Has somebody press the button of a message in any chat. */
  pressIn(chatId: number, messageId: number, data?: string): void;
}

const blocked = { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" };

/** Starts a Bot API server with one bot and one chat. Message ids are never reused. */
export async function startTelegramServer(settings: object = {}): Promise<TelegramServer> {
  const bot = new TelegramBot(token, [chat]);
  const api = await startTelegramBotApi([bot]);
  const removeAll = async (): Promise<void> => bot.messages.clear();
  const pressIn = (chatId: number, message_id: number, data = "seen"): void => {
    const message = { message_id, from: bot.user, chat: { id: chatId, type: "supergroup" }, date: 1, text: "words" };
    bot.press(message, data);
  };
  return {
    requests: api.requests,
    close: api.close,
    settings: { token, chatId: String(chat), server: api.origin, ...settings },
    get updates() {
      return bot.updates;
    },
    pressIn,
    removeAll,
    beginAnew: removeAll,
    refuseNext() {
      bot.refusal = answerJson(403, blocked);
    },
    async press(body) {
      const message = [...bot.messages.values()].find((sent) => readTelegram(sent).body === body);
      const [[button] = []] = message?.reply_markup?.inline_keyboard ?? [];
      if (message && button) bot.press(message, button.callback_data);
    },
    async disturb() {
      const lastId = bot.last?.message_id ?? 0;
      pressIn(chat, 999);
      pressIn(chat, lastId, "other");
      pressIn(7_000, lastId);
      bot.tell({ message: { message_id: lastId, chat: { id: chat }, text: "seen" } });
      bot.tell({ callback_query: { id: "q", from: ann, data: "seen", inline_message_id: "x" } });
    },
    listActive: async () => [...bot.messages.values()].map(readTelegram),
  };
}

/** Reads a message as a person would see it: the bold part is the title, and an unbroken `@` is a mention. */
export function readTelegram({ text, entities }: Pick<TelegramMessage, "text" | "entities">): Reading {
  const length = entities?.[0]?.length ?? text.split("\n")[0]?.length ?? 0;
  const shown = (part: string) => part.replace(/@(?!\u200b)/g, "[mention]").replaceAll("@\u200b", "@");
  return { title: shown(text.slice(0, length)), body: shown(text.slice(length + 1)) };
}
