import { answer, answerJson, type Behaviour, type Captured, type HostileServer } from "../world/hostile-server.ts";
import type { ReactionWorld } from "./contract/describe-reactions.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

const token = `123456:${canary}`;
/** Chat that the settings name; other chats are unknown. */
const chat = -1001234567890;
const maxTextChars = 4_096;

interface Payload {
  readonly chat_id: string | number;
  readonly message_id?: number;
  readonly text: string;
  readonly entities?: readonly { readonly length: number }[];
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly { readonly callback_data: string }[])[] };
}

/** A Bot API server, and its pending updates for the bot. */
export interface TelegramServer extends ReactionWorld {
  readonly requests: HostileServer["requests"];
  readonly updates: readonly { readonly update_id: number }[];
  /** Has somebody press the button of a message in any chat. */
  pressIn(chatId: number, messageId: number, data?: string): void;
}

interface Asked {
  readonly offset?: number;
  readonly limit?: number;
  readonly timeout?: number;
  readonly allowed_updates?: readonly string[];
  readonly callback_query_id: string;
}

/** Makes a Bot API answer in its original words. https://github.com/TelegramBotAPI/errors */
const fault = (description: string): Behaviour =>
  answerJson(400, { ok: false, error_code: 400, description: `Bad Request: ${description}` });
const success = (result: unknown): Behaviour => answerJson(200, { ok: true, result });
const sent = (message_id: number): Behaviour => success({ message_id, chat: { id: chat } });
const blocked = { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" };

/**
 * Starts a Bot API server with one bot and one chat. Message ids are never reused. Updates are kept until a request for
 * later updates confirms them. https://core.telegram.org/bots/api#getupdates
 */
export async function startTelegramServer(settings: object = {}): Promise<TelegramServer> {
  const messages = new Map<number, Payload>();
  let lastId = 0;
  let updates: { readonly update_id: number }[] = [];
  let lastUpdateId = 900_000_000;
  const answered = new Set<string>();
  const tell = (update: object): void => {
    lastUpdateId += 1;
    updates.push({ update_id: lastUpdateId, ...update });
  };
  const pressIn = (chatId: number, message_id: number, data = "seen"): void => {
    const message = { message_id, chat: { id: chatId }, text: "what the message says" };
    tell({ callback_query: { id: `q${lastUpdateId}`, from: { id: 7 }, data, message } });
  };
  const getUpdates = ({ offset = 0, limit = 100, timeout, allowed_updates }: Asked): Behaviour => {
    if (timeout !== 0 || String(allowed_updates) !== "callback_query") return fault("the test's bot does not ask so");
    updates = updates.filter(({ update_id }) => update_id >= offset);
    return success(updates.slice(0, limit));
  };
  const answerCallbackQuery = ({ callback_query_id }: Asked): Behaviour => {
    const isOld = answered.has(callback_query_id);
    answered.add(callback_query_id);
    return isOld ? fault("query is too old and response timeout expired or query ID is invalid") : success(true);
  };
  const sendMessage = (payload: Payload): Behaviour => {
    lastId += 1;
    messages.set(lastId, payload);
    return sent(lastId);
  };
  const editMessageText = ({ message_id = 0, ...payload }: Payload): Behaviour => {
    const old = messages.get(message_id);
    if (!old) return fault("message to edit not found");
    const isSame = JSON.stringify(pickContent(old)) === JSON.stringify(pickContent(payload));
    if (isSame) return fault("message is not modified: specified new message content is exactly the same");
    messages.set(message_id, payload);
    return sent(message_id);
  };
  const inChat = (act: (payload: Payload) => Behaviour) => (payload: Payload) => findFault(payload) ?? act(payload);
  const methods = new Map<string, (payload: Payload & Asked) => Behaviour>([
    [`/bot${token}/sendMessage`, inChat(sendMessage)],
    [`/bot${token}/editMessageText`, inChat(editMessageText)],
    [`/bot${token}/getUpdates`, getUpdates],
    [`/bot${token}/answerCallbackQuery`, answerCallbackQuery],
  ]);
  const reply = ({ path, body }: Captured): Behaviour => methods.get(path)?.(JSON.parse(body)) ?? answer(404);
  const server = await startRuledServer({ reply, refusal: answerJson(403, blocked), clear: () => messages.clear() });
  return {
    ...server,
    settings: { token, chatId: String(chat), server: server.origin, ...settings },
    get updates() {
      return updates;
    },
    pressIn,
    async press(body) {
      const [id = 0, { reply_markup } = {}] =
        [...messages].find(([, message]) => readTelegram(message).body === body) ?? [];
      const [[button] = []] = reply_markup?.inline_keyboard ?? [];
      if (button) pressIn(chat, id, button.callback_data);
    },
    async disturb() {
      pressIn(chat, 999);
      pressIn(chat, lastId, "other");
      pressIn(7_000, lastId);
      tell({ message: { message_id: lastId, chat: { id: chat }, text: "seen" } });
      tell({ callback_query: { id: "q", data: "seen", inline_message_id: "x" } });
    },
    listActive: async () => [...messages.values()].map(readTelegram),
  };
}

const pickContent = ({ text, entities = [], reply_markup }: Payload) => ({ text, entities, reply_markup });

function findFault({ chat_id, text }: Payload): Behaviour | undefined {
  if (Number(chat_id) !== chat) return fault("chat not found");
  if (text === "") return fault("message text is empty");
  return text.length > maxTextChars ? fault("message is too long") : undefined;
}

/** Reads a message as a person would see it: the bold part is the title, and an unbroken `@` is a mention. */
export function readTelegram({ text, entities }: Pick<Payload, "text" | "entities">): Reading {
  const length = entities?.[0]?.length ?? text.split("\n")[0]?.length ?? 0;
  const shown = (part: string) => part.replace(/@(?!\u200b)/g, "[mention]").replaceAll("@\u200b", "@");
  return { title: shown(text.slice(0, length)), body: shown(text.slice(length + 1)) };
}
