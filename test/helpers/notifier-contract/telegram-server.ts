import { answer, type Behaviour, startHostileServer } from "../hostile-server.ts";
import type { ChangeWorld } from "./describe-changes.ts";
import { canary, type Reading } from "./notifier-case.ts";

const json = { "content-type": "application/json" };
const token = `123456:${canary}`;
/** The chat of the settings; another one is not known. */
const chat = -1001234567890;
const maxTextChars = 4_096;

interface Payload {
  readonly chat_id: string | number;
  readonly message_id?: number;
  readonly text: string;
  readonly entities?: readonly { readonly length: number }[];
}

/** Answers of the Bot API, in its own words. https://github.com/TelegramBotAPI/errors */
const fault = (description: string): Behaviour =>
  answer(400, json, JSON.stringify({ ok: false, error_code: 400, description: `Bad Request: ${description}` }));
const sent = (message_id: number): Behaviour =>
  answer(200, json, JSON.stringify({ ok: true, result: { message_id, chat: { id: chat } } }));

/** A Bot API server with one bot and one chat. Ids of messages are never given twice. */
export async function startTelegramServer(): Promise<ChangeWorld> {
  const messages = new Map<number, Payload>();
  let lastId = 0;
  let refusal: Behaviour | undefined;
  const sendMessage = (payload: Payload): Behaviour => {
    lastId += 1;
    messages.set(lastId, payload);
    return sent(lastId);
  };
  const editMessageText = ({ message_id = 0, ...payload }: Payload): Behaviour => {
    const old = messages.get(message_id);
    if (!old) return fault("message to edit not found");
    if (JSON.stringify(contentOf(old)) === JSON.stringify(contentOf(payload))) {
      return fault(
        "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
      );
    }
    messages.set(message_id, payload);
    return sent(message_id);
  };
  const reply = (act: (payload: Payload) => Behaviour): Behaviour => {
    return (request, response) => {
      const payload = JSON.parse(server.requests.at(-1)?.body ?? "") as Payload;
      const refused = refusal;
      refusal = undefined;
      const behave = refused ?? faultOf(payload) ?? act(payload);
      behave(request, response);
    };
  };
  const server = await startHostileServer({
    [`/bot${token}/sendMessage`]: reply(sendMessage),
    [`/bot${token}/editMessageText`]: reply(editMessageText),
  });
  const clear = async () => messages.clear();
  return {
    settings: { token, chatId: String(chat), server: server.origin },
    standing: async () => [...messages.values()].map(readTelegram),
    removeAll: clear,
    beginAnew: clear,
    refuseNext() {
      refusal = answer(
        403,
        json,
        '{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}',
      );
    },
    close: () => server.close(),
  };
}

const contentOf = ({ text, entities = [] }: Payload) => ({ text, entities });

function faultOf({ chat_id, text }: Payload): Behaviour | undefined {
  if (Number(chat_id) !== chat) return fault("chat not found");
  if (text === "") return fault("message text is empty");
  return text.length > maxTextChars ? fault("message is too long") : undefined;
}

/** A message as its reader sees it: the bold part is the title, and an `@` that is not broken is a mention. */
export function readTelegram({ text, entities }: Pick<Payload, "text" | "entities">): Reading {
  const length = entities?.[0]?.length ?? text.split("\n")[0]?.length ?? 0;
  const shown = (part: string) => part.replace(/@(?!\u200b)/g, "[mention]").replaceAll("@\u200b", "@");
  return { title: shown(text.slice(0, length)), body: shown(text.slice(length + 1)) };
}
