import { describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { telegram } from "../../src/notifiers/telegram.ts";
import { answer, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReactions } from "./contract/describe-reactions.ts";
import { canary } from "./contract/notifier-case.ts";
import { readTelegram, startTelegramServer } from "./telegram-server.ts";

const json = { "content-type": "application/json" };
const token = `123456:${canary}`;
const fault = (error_code: number, description: string, parameters = {}) =>
  answer(error_code, json, JSON.stringify({ ok: false, error_code, description, parameters }));
const bodyOf = (message: Partial<Message>, plain = false, settings = {}) => {
  const parsed = telegram.settings.parse({ token, chatId: "1", ...settings });
  const whole = { title: "t", body: "b", kind: "finished", ...message } as Message;
  return JSON.parse(telegram.request({ settings: parsed, message: whole, isFallback: plain, nowMs: 0 }).body ?? "");
};

describeHttpNotifier(telegram, {
  settings: (origin) => ({ token, chatId: "-1001234567890", threadId: "7", server: origin }),
  success: answer(200, json, '{"ok":true,"result":{"message_id":5}}'),
  rejections: [
    [
      "too many, with a wait in the body",
      fault(429, "Too Many Requests: retry after 35", { retry_after: 35 }),
      { reason: "rate-limited", waitMs: 35_000 },
    ],
    ["entities that are not right", fault(400, "Bad Request: can't parse entities"), { reason: "rejected" }],
    ["an unknown chat", fault(400, `Bad Request: chat not found ${canary}`), { reason: "auth" }],
    [
      "a group with a new number",
      fault(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -1009 }),
      { reason: "auth" },
    ],
    ["a bot that was blocked", fault(403, "Forbidden: bot was blocked by the user"), { reason: "auth" }],
    ["a token that is none", fault(401, "Unauthorized"), { reason: "auth" }],
    [
      "a reader of updates beside ours",
      fault(409, "Conflict: terminated by other getUpdates request"),
      { reason: "auth", hinted: true },
    ],
    ["a success that is none", answer(200, json, '{"ok":false}'), { reason: "unavailable" }],
    ["null parameters", answer(400, json, '{"ok":false,"parameters":null}'), { reason: "rejected" }],
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
});

describeChanges(telegram, { start: () => startTelegramServer(), withdrawn: "done", refusal: "auth" });

describeReactions(telegram, {
  start: () => startTelegramServer({ button: true }),
  refusal: "auth",
  foreign: [{}, { messageId: 5 }, { messageId: "5", chat: -100 }, { messageId: 5, chat: "@other" }],
  off: { button: false },
});

describe("the button", () => {
  const keyboard = { inline_keyboard: [[{ text: "Gesehen", callback_data: "seen" }]] };
  const markupOf = (more: object, parts: object = {}) => {
    const settings = telegram.settings.parse({ token, chatId: "1", ...more });
    const message = { title: "t", body: "b", kind: "needs-you" } as Message;
    const whole = { settings, message, labels: { seen: "Gesehen", focus: "x" }, isFallback: false, nowMs: 0, ...parts };
    return JSON.parse(telegram.request(whole).body ?? "").reply_markup;
  };

  test.each([
    ["is there where it is asked for, in the message's language", { button: true }, {}, keyboard],
    ["is absent unless it is asked for", {}, {}, undefined],
    ["is absent in the fallback form", { button: true }, { isFallback: true }, undefined],
    ["is absent in a test message", { button: true }, { labels: undefined }, undefined],
  ])("%s", (_, more, parts, markup) => {
    expect(markupOf(more, parts)).toEqual(markup);
  });

  /** A server, and a message there that stands. */
  async function startWithMessage() {
    const server = await startTelegramServer({ button: true });
    onTestFinished(() => server.close());
    const settings = telegram.settings.parse(server.settings);
    const call = { ...localCall(settings, {}), ports: createPorts(), thread: { key: "0".repeat(32) } };
    const receipt = (await telegram.send(call)) ?? expect.fail("no receipt");
    return { server, call, receipt, find: () => telegram.reactions?.find({ ...call, standing: [receipt] }) };
  }

  test("stays where the message is updated, and goes where it is marked as done", async () => {
    const { server, call, receipt } = await startWithMessage();
    const message = { ...call.message, body: "changed" };
    await telegram.update?.({ ...call, message, receipt });
    await telegram.withdraw?.({ ...call, message, receipt });
    const markups = server.requests.map(({ body }) => JSON.parse(body).reply_markup);
    expect(markups).toEqual([expect.anything(), markups[0], undefined]);
  });

  test("that was pressed is confirmed once its message is done, and no press of another entry's before it", async () => {
    const { server, receipt, call, find } = await startWithMessage();
    const ids = () => server.updates.map(({ update_id }) => update_id - 900_000_000);
    const chat = Number(receipt["chat"]);
    server.pressIn(chat, 998);
    server.pressIn(chat, Number(receipt["messageId"]));
    server.pressIn(7_000, 1);
    server.pressIn(chat, 997);
    expect(await find()).toEqual([receipt]);
    expect(ids()).toEqual([2, 3, 4]);
    const next = (await telegram.send(call)) ?? expect.fail("no receipt");
    expect(await telegram.reactions?.find({ ...call, standing: [next] })).toEqual([]);
    expect(ids()).toEqual([3, 4]);
    expect(await telegram.reactions?.find({ ...call, standing: [next, { messageId: 2, chat: 7_000 }] })).toEqual([]);
    expect(ids()).toEqual([]);
  });
});

describeProbe(telegram, {
  settings: (server) => ({ server, token, chatId: "-100123" }),
  asks: { method: "GET", path: `/bot${token}/getMe` },
  success: answer(200, json, '{"ok":true,"result":{"id":1,"is_bot":true}}'),
});

describe("a message that was sent", () => {
  const ok = '{"ok":true,"result":{"message_id":5,"chat":{"id":-100}}}';

  /** What is asked of a server of the test's, and whether it fails, where the message of this receipt is updated. */
  async function update(receipt: Receipt, reply = answer(200, json, ok)) {
    const server = await startHostileServer({ "*": reply });
    onTestFinished(() => server.close());
    const settings = telegram.settings.parse({ token, chatId: "999", server: server.origin });
    const call = { ...localCall(settings, {}), ports: createPorts(), receipt };
    await telegram.update?.(call);
    return server.requests;
  }

  test("is edited in the chat it was sent to, although the settings name another one by now", async () => {
    const [asked] = await update({ messageId: 5, chat: -100 });
    expect(asked?.path).toBe(`/bot${token}/editMessageText`);
    expect(JSON.parse(asked?.body ?? "")).toMatchObject({ chat_id: -100, message_id: 5 });
    expect(JSON.parse(asked?.body ?? "")).not.toHaveProperty("disable_notification");
  });

  test.each([
    "Bad Request: message to edit not found",
    "Bad Request: message can't be edited",
    "Bad Request: MESSAGE_ID_INVALID",
    "Bad Request: message is not modified: specified new message content is the same",
  ])("needs no change where Telegram says: %s", async (description) => {
    await expect(update({ messageId: 5, chat: -100 }, fault(400, description))).resolves.toHaveLength(1);
  });

  test.each([
    [fault(400, "Bad Request: message is too long"), "rejected"],
    [fault(403, "Forbidden: message to edit not found"), "auth"],
    [fault(429, "Too Many Requests: retry after 35", { retry_after: 35 }), "rate-limited"],
  ])("is not changed where Telegram says anything else", async (reply, reason) => {
    await expect(update({ messageId: 5, chat: -100 }, reply)).rejects.toMatchObject({ reason });
  });

  test.each([{}, { messageId: 5 }, { messageId: "5", chat: -100 }, { messageId: 5, chat: "@other" }])(
    "and has a receipt of another form, %j, is let alone",
    async (receipt) => {
      expect(await update(receipt as Receipt)).toEqual([]);
    },
  );

  test.each(["{}", '{"ok":true,"result":true}', '{"ok":true,"result":{"message_id":"5","chat":{"id":1}}}'])(
    "has no receipt where the reply is %s",
    (body) => {
      const settings = telegram.settings.parse({ token, chatId: "1" });
      const message = { title: "t", body: "b", kind: "finished" } as Message;
      const parts = { settings, message, isFallback: false, nowMs: 0 };
      expect(telegram.receipt?.({ status: 200, headers: {}, body }, parts)).toBeUndefined();
      expect(telegram.receipt?.({ status: 200, headers: {}, body: ok }, parts)).toEqual({ messageId: 5, chat: -100 });
    },
  );
});

test("the bold part is measured in UTF-16, including the characters that break mentions", () => {
  expect(bodyOf({ title: "👩‍👩‍👧‍👦 @a" })).toMatchObject({ entities: [{ offset: 0, length: 15 }] });
  expect(bodyOf({ title: "t" }, true)).not.toHaveProperty("entities");
});

test.each([
  ["needs-you", false],
  ["failed", false],
  ["finished", false],
  ["info", true],
] as const)("%s is silent: %s", (kind, silent) => {
  expect(bodyOf({ kind })).toMatchObject({ disable_notification: silent });
});

describe("the hint for", () => {
  test.each([
    ["a group with a new number", 400, { parameters: { migrate_to_chat_id: -1001234 } }, /chatId` to "-1001234"/],
    ["an unknown chat", 400, { description: "Bad Request: chat not found" }, /must first write to the bot/],
    ["a bot that was blocked", 403, {}, /blocked/],
    ["a token that is none", 404, {}, /@BotFather/],
  ])("%s", (_, status, body, hint) => {
    expect(telegram.classifyReply?.({ status, headers: {}, body: JSON.stringify(body) }, 0)?.hint).toMatch(hint);
  });
});

test.each([
  ["123456", true],
  ["-1001234567890", true],
  ["@my_channel", true],
  ["my_channel", false],
  ["1&chat_id=2", false],
  ["x1", false],
  ["x@my_channel", false],
  ["@my_channel/x", false],
])("the chat %j is valid: %s", (chatId, valid) => {
  expect(telegram.settings.safeParse({ token, chatId }).success).toBe(valid);
});

test.each([
  ["token", `x${token}`],
  ["token", `${token}/x`],
  ["threadId", "x1"],
  ["threadId", "1/x"],
])("a %s of %j is refused", (name, value) => {
  expect(telegram.settings.safeParse({ token, chatId: "1", [name]: value }).success).toBe(false);
});

test("the token is checked without a message", async () => {
  const server = await startHostileServer({ "*": answer(200, json, '{"ok":true,"result":{"is_bot":true}}') });
  try {
    const settings = telegram.settings.parse({ token, chatId: "1", server: server.origin });
    await telegram.probe?.({ settings, ports: createPorts(), signal: AbortSignal.timeout(5_000) });
    expect(server.requests).toMatchObject([{ method: "GET", path: `/bot${token}/getMe`, body: "" }]);
  } finally {
    await server.close();
  }
});
