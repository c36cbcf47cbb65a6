import { answer, answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading, readLines } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

const room = "GENERAL";
const userId = "aobEdbYhXfu5hkeqG";
const maxTextChars = 5_000;

/** A Rocket.Chat server with an edit time limit that can expire. */
export interface RocketChatServer extends ChangeWorld {
  /** Ends the edit time of all messages. */
  endEdits(): void;
}

/** Makes an API error. Its text ends with its type, which older servers name nowhere else. */
const fault = (words: string, errorType?: string): Behaviour => {
  const error = errorType === undefined ? words : `${words} [${errorType}]`;
  return answerJson(400, { success: false, error, errorType });
};
const notLoggedIn = answerJson(401, { status: "error", message: "You must be logged in to do this." });

/**
 * Starts a server with one bot and one channel. Message ids are random and never reused.
 * https://github.com/RocketChat/Rocket.Chat/blob/develop/apps/meteor/app/api/server/v1/chat.ts
 */
export async function startRocketChatServer(): Promise<RocketChatServer> {
  const messages = new Map<string, string>();
  const closed = new Set<string>();
  let count = 0;
  const keep = (id: string, text: string): Behaviour => {
    if (text.length > maxTextChars) return fault("Message size exceeds", "error-message-size-exceeded");
    messages.set(id, text);
    return answerJson(200, { success: true, message: { _id: id, rid: room, msg: text } });
  };
  const postMessage = ({ channel, text, ...others }: Readonly<Record<string, string>>): Behaviour => {
    if (Object.keys(others).length > 0) return fault("must NOT have additional properties", "invalid-params");
    if (channel !== "#general") return fault("The channel name provided does not match", "invalid-channel");
    count += 1;
    return keep(`m${count}`, text ?? "");
  };
  const update = ({ roomId, msgId = "", text, ...others }: Readonly<Record<string, string>>): Behaviour => {
    if (Object.keys(others).length > 0) return fault("must NOT have additional properties", "invalid-params");
    if (!messages.has(msgId)) return fault(`No message found with the id of "${msgId}".`);
    if (roomId !== room) return fault("The room id provided does not match where the message is from.");
    if (closed.has(msgId)) return fault("Message editing is blocked", "error-message-editing-blocked");
    return keep(msgId, text ?? "");
  };
  const reply = ({ path, body, headers }: Captured): Behaviour => {
    if (headers["x-auth-token"] !== canary || headers["x-user-id"] !== userId) return notLoggedIn;
    if (path === "/api/v1/chat.postMessage") return postMessage(JSON.parse(body));
    return path === "/api/v1/chat.update" ? update(JSON.parse(body)) : answer(404);
  };
  const server = await startRuledServer({ reply, refusal: notLoggedIn, clear: () => messages.clear() });
  return {
    ...server,
    settings: { server: server.origin, token: canary, userId, channel: "#general" },
    listActive: async () => [...messages.values()].map(readRocketChat),
    endEdits: () => [...messages.keys()].forEach((id) => void closed.add(id)),
  };
}

/** Reads a text as a person would see it, without invisible characters and escaping backslashes. */
export function readRocketChat(text: string): Reading {
  const shown = (line: string): string =>
    line
      .slice(1)
      .replace(/@(?!\u200b)/g, "[mention]")
      .replace(/\\([*~`])/g, "$1")
      .replace(/([^\w\s])\u200b|_\u200b/g, (pair) => pair.slice(0, -1));
  return readLines(text.split("\n").map(shown).join("\n"));
}
