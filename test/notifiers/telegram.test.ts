import { describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { telegram } from "../../src/notifiers/telegram.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { answerJson } from "../world/hostile-server.ts";
import { networkCall } from "../world/network-call.ts";
import { token } from "./cases/telegram.ts";
import { updateAt } from "./contract/describe-notifier.ts";
import { makePayload, readReceipt } from "./contract/make-request.ts";
import { startTelegramServer } from "./telegram-server.ts";

const makeBody = (message: Partial<Message>, more: object = {}) =>
  makePayload(telegram, { token, chatId: "1" }, { message, ...more });

describe("the button", () => {
  const keyboard = { inline_keyboard: [[{ text: "Gesehen", callback_data: "seen" }]] };
  test("is present if requested, in the message's language, except in fallbacks and test messages", () => {
    const labels = { seen: "Gesehen", focus: "x" };
    const makeMarkup = (settings: object, parts: object = {}) => {
      const thread = { key: "0".repeat(32) };
      const changes = { message: { kind: "needs-you" }, thread, labels, ...parts } as const;
      return makePayload(telegram, { token, chatId: "1", ...settings }, changes).reply_markup;
    };
    expect(makeMarkup({ button: true })).toEqual(keyboard);
    expect(makeMarkup({})).toBeUndefined();
    expect(makeMarkup({ button: true }, { isFallback: true })).toBeUndefined();
    expect(makeMarkup({ button: true }, { thread: undefined })).toBeUndefined();
  });

  /** Starts a server, and sends a message that is visible there. */
  async function startWithMessage() {
    const server = await startTelegramServer({ button: true });
    onTestFinished(() => server.close());
    const settings = telegram.settings.parse(server.settings);
    const call = { ...networkCall(settings), thread: { key: "0".repeat(32) } };
    const receipt = (await telegram.send(call)) ?? expect.fail("no receipt");
    return { server, call, receipt, find: () => telegram.lifecycle?.reactions?.find({ ...call, active: [receipt] }) };
  }

  test("stays when the message is updated, and goes when it is marked as done", async () => {
    const { server, call, receipt } = await startWithMessage();
    const message = { ...call.message, body: "changed" };
    await telegram.update?.({ ...call, message, receipt });
    await telegram.withdraw?.({ ...call, message, receipt });
    const markups = server.requests.map(({ body }) => JSON.parse(body).reply_markup);
    expect(markups).toEqual([expect.anything(), markups[0], undefined]);
  });

  test("is found behind fifty presses in a chat without messages", async () => {
    const { server, receipt, find } = await startWithMessage();
    for (let count = 0; count < 120; count += 1) server.pressIn(7_000, count);
    server.pressIn(Number(receipt["chat"]), Number(receipt["messageId"]));
    expect(await find()).toEqual([]);
    expect(await find()).toEqual([]);
    expect(await find()).toEqual([receipt]);
  });

  test("is confirmed once its message is done, without earlier presses of other entries", async () => {
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
    expect(await telegram.lifecycle?.reactions?.find({ ...call, active: [next] })).toEqual([]);
    expect(ids()).toEqual([3, 4]);
    expect(
      await telegram.lifecycle?.reactions?.find({ ...call, active: [next, { messageId: 2, chat: 7_000 }] }),
    ).toEqual([]);
    expect(ids()).toEqual([]);
  });
});

const reply = { ok: true, result: { message_id: 5, chat: { id: -100 } } };

test("a message is edited in its own chat, even if the settings name another by now", async () => {
  const settings = (server: string) => ({ token, chatId: "999", server });
  const receipt = { messageId: 5, chat: -100 };
  const [asked] = await updateAt(telegram, settings, { receipt, reply: answerJson(200, reply) });
  expect(asked?.path).toBe(`/bot${token}/editMessageText`);
  expect(JSON.parse(asked?.body ?? "")).toMatchObject({ chat_id: -100, message_id: 5 });
  expect(JSON.parse(asked?.body ?? "")).not.toHaveProperty("disable_notification");
});

test("a message has a receipt if the reply has its numbers", () => {
  const read = (body: object) => readReceipt(telegram, { token, chatId: "1" }, body);
  expect(read(reply)).toEqual({ messageId: 5, chat: -100 });
  const others = [{}, { ok: true, result: true }, { ok: true, result: { message_id: "5", chat: { id: 1 } } }];
  expect(others.map(read)).toEqual([undefined, undefined, undefined]);
});

test("the bold part is measured in UTF-16, including the characters that break mentions", () => {
  expect(makeBody({ title: "👩‍👩‍👧‍👦 @a" })).toMatchObject({ entities: [{ offset: 0, length: 15 }] });
  expect(makeBody({ title: "t" }, { isFallback: true })).not.toHaveProperty("entities");
});

test("only `info` is silent", () => {
  const silent = kinds.filter((kind) => makeBody({ kind }).disable_notification !== false);
  expect(silent).toEqual(["info"]);
  expect(makeBody({ kind: "info" }).disable_notification).toBe(true);
});

test("a failure has a hint with advice", async () => {
  const rows = [
    ["a group with a new number", 400, { parameters: { migrate_to_chat_id: -1001234 } }, /chatId` to "-1001234"/],
    ["an unknown chat", 400, { description: "Bad Request: chat not found" }, /must first write to the bot/],
    ["a blocked bot", 403, {}, /blocked/],
    ["an invalid token", 404, {}, /@BotFather/],
  ] as const;
  const check = ([, status, body, hint]: (typeof rows)[number]) =>
    expect(telegram.classifyReply?.({ status, headers: {}, body: JSON.stringify(body) }, 0)?.hint).toMatch(hint);
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("a chat is a number or a channel name, and token and thread are checked too", () => {
  const isValid = (more: object) => telegram.settings.safeParse({ token, chatId: "1", ...more }).success;
  const chats = ["123456", "-1001234567890", "@my_channel"];
  const others = ["my_channel", "1&chat_id=2", "x1", "x@my_channel", "@my_channel/x"];
  expect([...chats, ...others].filter((chatId) => isValid({ chatId }))).toEqual(chats);
  const odd = [{ token: `x${token}` }, { token: `${token}/x` }, { threadId: "x1" }, { threadId: "1/x" }];
  expect(odd.filter(isValid)).toEqual([]);
});
