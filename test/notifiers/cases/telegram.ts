import { expect } from "vitest";
import type { Receipt } from "../../../src/core/notifier-call.ts";
import { answerJson } from "../../world/hostile-server.ts";
import { type Cases, canary, hinted, limited } from "../contract/notifier-case.ts";
import { readTelegram, startTelegramServer } from "../telegram-server.ts";

export const token = `123456:${canary}`;
export const fault = (error_code: number, description: string, parameters = {}) =>
  answerJson(error_code, { ok: false, error_code, description, parameters });

export const httpCase: Cases["httpCase"] = {
  settings: (origin) => ({ token, chatId: "-1001234567890", threadId: "7", server: origin }),
  success: answerJson(200, { ok: true, result: { message_id: 5 } }),
  rejections: [
    ["too many, with a wait", fault(429, "Too Many Requests: retry after 35", { retry_after: 35 }), limited(35_000)],
    ["wrong entities", fault(400, "Bad Request: can't parse entities"), "rejected"],
    ["an unknown chat", fault(400, `Bad Request: chat not found ${canary}`), "auth"],
    ["a group's new number", fault(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -1009 }), "auth"],
    ["a blocked bot", fault(403, "Forbidden: bot was blocked by the user"), "auth"],
    ["an invalid token", fault(401, "Unauthorized"), "auth"],
    ["a reader of updates beside ours", fault(409, "Conflict: terminated by other getUpdates request"), hinted],
    ["an unsuccessful success", answerJson(200, { ok: false }), "unavailable"],
    ["null parameters", answerJson(400, { ok: false, parameters: null }), "rejected"],
  ],
  read: ({ body }) => readTelegram(JSON.parse(body)),
  valid({ body, path }) {
    const payload = JSON.parse(body);
    expect(path).toBe(`/bot${token}/sendMessage`);
    expect(payload.text.length).toBeLessThanOrEqual(4_096);
    expect(payload.text).not.toMatch(/^$|@(?!\u200b)/);
    expect(payload).not.toHaveProperty("parse_mode");
    expect(payload).toMatchObject({ chat_id: "-1001234567890", message_thread_id: 7 });
    expect(payload.link_preview_options).toEqual({ is_disabled: true });
    for (const entity of payload.entities ?? []) {
      expect(entity).toMatchObject({ type: "bold", offset: 0 });
      expect(payload.text.slice(entity.length)).toMatch(/^(\n|$)/);
    }
  },
  mentions: ["@everyone_in @channel /stop *b* _i_ <b>x</b> <a href='tg://user?id=1'>y</a> [z](tg://user?id=1) @\u200b"],
};

export const foreign = [{}, { messageId: 5 }, { messageId: "5", chat: -100 }, { messageId: 5, chat: "@other" }];

export const changeCase: Cases["changeCase"] = {
  start: () => startTelegramServer(),
  withdrawn: "done",
  refusal: "auth",
  foreign,
};

const finalWords = [
  "Bad Request: message to edit not found",
  "Bad Request: message can't be edited",
  "Bad Request: MESSAGE_ID_INVALID",
  "Bad Request: message is not modified: specified new message content is the same",
];

export const replyCase: Cases["replyCase"] = {
  settings: (server) => ({ token, chatId: "999", server }),
  receipt: { messageId: 5, chat: -100 },
  final: finalWords.map((words) => [words, fault(400, words)]),
  failures: [
    ["too long", fault(400, "Bad Request: message is too long"), "rejected"],
    ["forbidden", fault(403, "Forbidden: message to edit not found"), "auth"],
    ["too many", fault(429, "Too Many Requests: retry after 35", { retry_after: 35 }), "rate-limited"],
  ],
};

export const reactionCase: Cases["reactionCase"] = {
  start: () => startTelegramServer({ button: true }),
  refusal: "auth",
  foreign: foreign as readonly Receipt[],
  off: { button: false },
};

export const probeCase: Cases["probeCase"] = {
  settings: (server) => ({ server, token, chatId: "-100123" }),
  asks: { method: "GET", path: `/bot${token}/getMe` },
  success: answerJson(200, { ok: true, result: { id: 1, is_bot: true } }),
};
