import type { ServerResponse } from "node:http";
import { answer, answerJson, type Behaviour, type Captured, startHostileServer } from "./hostile-server.ts";

/** A user of Telegram. */
export interface TelegramUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name?: string;
}

/** A message as the Bot API returns it. https://core.telegram.org/bots/api#message */
export interface TelegramMessage {
  readonly message_id: number;
  readonly from: TelegramUser;
  readonly chat: { readonly id: number; readonly type: string };
  readonly date: number;
  readonly edit_date?: number;
  readonly text: string;
  readonly entities?: readonly { readonly type: string; readonly offset: number; readonly length: number }[];
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly Button[])[] };
}
interface Button {
  readonly text: string;
  readonly callback_data: string;
}

/** An update that waits for the bot. */
export interface TelegramUpdate {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

interface Payload {
  readonly chat_id?: string | number;
  readonly message_id?: number;
  readonly text?: string;
  readonly entities?: TelegramMessage["entities"];
  readonly reply_markup?: TelegramMessage["reply_markup"];
  readonly offset?: number;
  readonly limit?: number;
  readonly timeout?: number;
  readonly allowed_updates?: readonly string[];
  readonly callback_query_id?: string;
}

/** The user that the tests' settings list. */
export const ann: TelegramUser = { id: 4242, is_bot: false, first_name: "Ann" };
const maxTextChars = 4_096;
const maxDataBytes = 64;

/** Answers of the Bot API in their original words. https://github.com/tdlib/telegram-bot-api */
const success = (result: unknown): Behaviour => answerJson(200, { ok: true, result });
const fault = (error_code: number, description: string, more: object = {}): Behaviour =>
  answerJson(error_code, { ok: false, error_code, description, ...more });
const badRequest = (description: string): Behaviour => fault(400, `Bad Request: ${description}`);
const notModified =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
const otherPoll = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const webhookSet =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/** A bot at the Bot API, with its messages and updates. */
export class TelegramBot {
  readonly token: string;
  readonly messages = new Map<string, TelegramMessage>();
  /** Updates that no request has confirmed. */
  updates: TelegramUpdate[] = [];
  /** Texts of acknowledged presses, by the id of the press; undefined if without text. */
  readonly acknowledged = new Map<string, string | undefined>();
  hasWebhook = false;
  /** Number of edits that are refused with status 429. */
  floodedEdits = 0;
  /** Answer to the next request, whatever it is. */
  refusal: Behaviour | undefined;
  /** True if messages are too old to be edited. */
  isEditingOver = false;
  #allowed: readonly string[] | undefined;
  #poll:
    | { readonly response: ServerResponse; readonly offset: number; readonly limit: number; timer?: NodeJS.Timeout }
    | undefined;
  #lastMessageId = 0;
  #lastUpdateId = 900_000_000;
  readonly #chats: readonly number[];

  constructor(token: string, chats: readonly number[]) {
    this.token = token;
    this.#chats = chats;
  }

  get user(): TelegramUser {
    return { id: Number.parseInt(this.token, 10), is_bot: true, first_name: "beckon" };
  }

  /** True while a request waits for updates. */
  get isPolled(): boolean {
    return this.#poll !== undefined;
  }

  /** The newest message. */
  get last(): TelegramMessage | undefined {
    return [...this.messages.values()].at(-1);
  }

  /** Stores an update, unless the bot does not want its kind, and hands it to a waiting request. */
  tell(update: object): void {
    const [kind = ""] = Object.keys(update);
    if (this.#allowed && !this.#allowed.includes(kind)) return;
    this.#lastUpdateId += 1;
    this.updates.push({ update_id: this.#lastUpdateId, ...update });
    if (this.#poll) this.#endPoll(success(this.updates.slice(0, this.#poll.limit)));
  }

  /**
   * Has a user press a button. With a program of their own, users can send any data.
   * @param changes differences to what Telegram would report
   * @returns the id of the press
   */
  press(message: TelegramMessage, data: string, from: TelegramUser = ann, changes: object = {}): string {
    const id = `press-${this.#lastUpdateId + 1}`;
    const current = this.messages.get(nameMessage(message)) ?? message;
    this.tell({ callback_query: { id, from, message: current, chat_instance: "1", data, ...changes } });
    return id;
  }

  /** Handles a request. */
  handle(method: string, payload: Payload): Behaviour {
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal) return refusal;
    const methods: Readonly<Record<string, (payload: Payload) => Behaviour>> = {
      getMe: () => success({ ...this.user, username: "ann_beckon_bot" }),
      sendMessage: (sent) => this.#send(sent),
      editMessageText: (edited) => this.#edit(edited),
      getUpdates: (asked) => this.#getUpdates(asked),
      answerCallbackQuery: (answered) => this.#acknowledge(answered),
    };
    return methods[method]?.(payload) ?? fault(404, "Not Found");
  }

  #send(payload: Payload): Behaviour {
    const { chat_id, text = "", entities, reply_markup } = payload;
    const problem = this.#findProblem(payload);
    if (problem !== undefined) return badRequest(problem);
    this.#lastMessageId += 1;
    const chat = makeChat(Number(chat_id));
    const head = { message_id: this.#lastMessageId, from: this.user, chat, date: seconds() };
    const message: TelegramMessage = JSON.parse(JSON.stringify({ ...head, text, entities, reply_markup }));
    this.messages.set(nameMessage(message), message);
    return success(message);
  }

  #edit(payload: Payload): Behaviour {
    const { chat_id, message_id = 0, text = "", entities, reply_markup } = payload;
    if (this.floodedEdits > 0) {
      this.floodedEdits -= 1;
      return fault(429, "Too Many Requests: retry after 1", { parameters: { retry_after: 1 } });
    }
    const problem = this.#findProblem(payload);
    if (problem !== undefined) return badRequest(problem);
    const old = this.messages.get(`${chat_id} ${message_id}`);
    if (!old) return badRequest("message to edit not found");
    if (this.isEditingOver) return badRequest("message can't be edited");
    const changes = { text, entities, reply_markup, edit_date: seconds() };
    const edited: TelegramMessage = JSON.parse(JSON.stringify({ ...old, ...changes }));
    if (describeContent(old) === describeContent(edited)) return badRequest(notModified);
    this.messages.set(nameMessage(old), edited);
    return success(edited);
  }

  #findProblem({ chat_id, text = "", reply_markup }: Payload): string | undefined {
    if (!this.#chats.includes(Number(chat_id))) return "chat not found";
    if (text === "") return "message text is empty";
    if (text.length > maxTextChars) return "message is too long";
    const buttons = reply_markup?.inline_keyboard.flat() ?? [];
    const isTooLong = ({ callback_data }: Button) => Buffer.byteLength(callback_data) > maxDataBytes;
    return buttons.some(isTooLong) ? "BUTTON_DATA_INVALID" : undefined;
  }

  #getUpdates({ offset = 0, limit = 100, timeout = 0, allowed_updates }: Payload): Behaviour {
    if (this.hasWebhook) return fault(409, webhookSet);
    this.#allowed = allowed_updates ?? this.#allowed;
    this.updates = this.updates.filter(({ update_id }) => update_id >= offset);
    if (this.updates.length > 0 || timeout === 0) return success(this.updates.slice(0, limit));
    this.#endPoll(fault(409, otherPoll));
    return (_, response) => {
      const poll = { response, offset, limit, timer: setTimeout(() => this.#endPoll(success([])), timeout * 1_000) };
      this.#poll = poll;
      response.on("close", () => {
        clearTimeout(poll.timer);
        if (this.#poll === poll) this.#poll = undefined;
      });
    };
  }

  #endPoll(behave: Behaviour): void {
    const poll = this.#poll;
    this.#poll = undefined;
    clearTimeout(poll?.timer);
    if (poll) behave(poll.response.req, poll.response);
  }

  #acknowledge({ callback_query_id = "", text }: Payload): Behaviour {
    if (this.acknowledged.has(callback_query_id))
      return badRequest("query is too old and response timeout expired or query ID is invalid");
    this.acknowledged.set(callback_query_id, text);
    return success(true);
  }
}

/** A Bot API server on loopback, with its bots by token. */
export type TelegramBotApi = Awaited<ReturnType<typeof startTelegramBotApi>>;

/** Starts a Bot API server that follows the documented rules. https://core.telegram.org/bots/api */
export async function startTelegramBotApi(bots: readonly TelegramBot[], port = 0) {
  const handle: Behaviour = (request, response) => {
    const { path, body } = server.requests.at(-1) as Captured;
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    const bot = bots.find((known) => known.token === token);
    const behave = bot ? bot.handle(method, JSON.parse(body || "{}")) : fault(401, "Unauthorized");
    (path.startsWith("/bot") ? behave : answer(404))(request, response);
  };
  const server = await startHostileServer({ "*": handle }, port);
  const listRequests = (method: string) => server.requests.filter(({ path }) => path.endsWith(`/${method}`));
  /** Bodies of the requests for a method. */
  const bodies = (method: string): Payload[] => listRequests(method).map(({ body }) => JSON.parse(body));
  return { ...server, bodies };
}

const seconds = (): number => Math.floor(Date.now() / 1_000);

const makeChat = (id: number) => ({ id, type: id < 0 ? "supergroup" : "private" });

const nameMessage = ({ chat, message_id }: TelegramMessage): string => `${chat.id} ${message_id}`;

function describeContent({ text, entities, reply_markup }: TelegramMessage): string {
  return JSON.stringify([text, entities ?? [], reply_markup]);
}

/** The callback data of a message's button for a choice. */
export function buttonData(message: TelegramMessage | undefined, choice: "allow" | "deny"): string {
  const buttons = message?.reply_markup?.inline_keyboard.flat() ?? [];
  return buttons.find(({ callback_data }) => callback_data.includes(`:${choice}:`))?.callback_data ?? "";
}
