import { beforeEach, describe, expect, test } from "vitest";
import { acquire, readingLock } from "../../src/files/lock.ts";
import { createClock } from "../../src/io/clock.ts";
import { concern, makeAlert } from "../world/alerts.ts";
import { fixDate } from "../world/fixed-date.ts";
import { ann, buttonData, type TelegramMessage } from "../world/telegram-bot-api.ts";
import { allow, deny } from "./replies.ts";
import { chat, TelegramWorld } from "./telegram-world.ts";

fixDate();
let world: TelegramWorld;
beforeEach(async () => {
  world = await TelegramWorld.start();
});

const labels = ({ reply_markup }: TelegramMessage) =>
  reply_markup?.inline_keyboard.flat().map(({ text }) => text) ?? [];
const shownRequest = ({ text, entities }: TelegramMessage) => {
  const pre = entities?.find(({ type }) => type === "pre");
  return pre && text.slice(pre.offset, pre.offset + pre.length);
};
/** The message in its present form. */
const current = ({ chat, message_id }: TelegramMessage) =>
  world.bot.messages.get(`${chat.id} ${message_id}`) ?? expect.fail("deleted");
/** Has an agent ask in a session, and sends the message. Returns the request's id and the message. */
const askIn = async (sessionId: string, notifier = "me") => {
  const id = await world.ask({ sessionId });
  return [id, await world.send(id, notifier)] as const;
};
const getUpdates = () => world.api.bodies("getUpdates");

describe("a message", () => {
  test("shows the request unchanged, with both buttons, whose data contain a token that is not on disk", async () => {
    const command = 'git push --force "@all" https://example.org \\\n  | tee <b>*log*</b>';
    const id = await world.ask({ input: { command } });
    const message = await world.sendUnread(id);
    expect(shownRequest(message)).toBe(world.keeper.asks.findOpen(id)?.lines.join("\n"));
    expect(shownRequest(message)).toContain('"@all" https://example.org');
    expect(message.text).not.toContain("\u200b");
    expect(labels(message)).toEqual(["Deny", "Allow"]);
    for (const choice of ["allow", "deny"] as const) {
      const data = buttonData(message, choice);
      expect(data).toMatch(/^answer:[\w-]{11}:(allow|deny):[\w-]{22}$/);
      expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
    }
  });

  test("has only Deny, with the reason, if the request is longer than 3,000 characters", async () => {
    const rows = [40, 50].map((count) =>
      "echo one two three four five six seven eight nine ten eleven\n".repeat(count),
    );
    const messages = [];
    for (const command of rows) {
      const sessionId = `s${command.length}`;
      messages.push(await world.sendUnread(await world.ask({ input: { command }, sessionId })));
    }
    expect(messages.map(labels)).toEqual([["Deny", "Allow"], ["Deny"]]);
    expect(messages[1]?.text).toContain("It can only be denied here: it is too long to be shown whole.");
    const shown = shownRequest(messages[1] ?? expect.fail("none")) ?? "";
    expect(shown).toMatch(/^Bash: echo one [\s\S]{2900,2990}… \(\+\d+ lines\)$/);
    expect(shown.length).toBeLessThanOrEqual(3_000);
  });

  test("has only Deny if the request seems to contain a secret, which is not sent", async () => {
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const message = await world.sendUnread(await world.ask({ input: { command: `curl -H 'x: ${secret}' x.org` } }));
    expect(labels(message)).toEqual(["Deny"]);
    expect(message.text).not.toContain(secret);
    expect(message.text).toContain("It can only be denied here: it seems to contain a secret.");
  });

  test("has only Deny by default", async () => {
    world.settings.from = { me: { users: [ann.id], may: ["deny"] } };
    const message = await world.sendUnread(await world.ask());
    expect(labels(message)).toEqual(["Deny"]);
    expect(message.text).not.toContain("only be denied");
  });

  test("says how many requests the session made within two minutes", async () => {
    const sent = [];
    for (let count = 0; count < 4; count += 1) {
      sent.push(await world.sendUnread(await world.ask({ input: { command: `echo ${count}` } })));
      world.clock.skip(count === 2 ? 100_000 : 10_000);
    }
    expect(sent.map(({ text }) => /\S+ request in 2 minutes/.exec(text)?.[0])).toEqual([
      undefined,
      "2nd request in 2 minutes",
      "3rd request in 2 minutes",
      "3rd request in 2 minutes",
    ]);
  });

  test("has no buttons in its plain form, which is sent if Telegram rejects the markup", async () => {
    world.api.requests.length = 0;
    const handle = world.bot.handle.bind(world.bot);
    let isFirst = true;
    world.bot.handle = (method, payload) => {
      const isRejected = method === "sendMessage" && isFirst;
      if (isRejected) isFirst = false;
      return handle(method, isRejected ? { ...payload, text: "" } : payload);
    };
    const message = await world.sendUnread(await world.ask());
    expect(labels(message)).toEqual([]);
  });
});

describe("a form", () => {
  const questions = (...all: object[]) => ({ tool: "AskUserQuestion", input: { questions: all } });
  const option = (label: string) => ({ label });
  const colour = { question: "Which colour?", options: [option("Red"), option("Blue @all")] };
  const sizes = { question: "Which sizes?", multiSelect: true, options: [option("S"), option("L")] };
  const decision = (id: string) => JSON.parse(world.take(id) ?? "{}");
  const data = (message: TelegramMessage, label: string) =>
    message.reply_markup?.inline_keyboard.flat().find(({ text }) => text === label)?.callback_data ?? label;

  test("with one question is answered with one press, which the message then shows", async () => {
    const id = await world.ask(questions(colour));
    const message = await world.send(id);
    expect(labels(message)).toEqual(["1 Red", "2 Blue @all", "Deny"]);
    await world.pressData(message, data(message, "2 Blue @all"));
    expect(decision(id)).toMatchObject({ behavior: "allow", picks: [2] });
    await expect.poll(() => current(message).text).toMatch(/\nBlue @.?all · Ann \(4242\) · me · /);
    expect(labels(current(message))).toEqual([]);
  });

  test("with several questions is answered with several presses, and then sent", async () => {
    const id = await world.ask(questions(colour, sizes));
    const message = await world.send(id);
    expect(labels(message)).toEqual(["1 Red", "2 Blue @all", "3 S", "4 L", "Deny", "OK"]);
    for (const label of ["OK", "1 Red", "3 S", "4 L", "3 S"]) await world.pressData(message, data(message, label));
    expect(world.take(id)).toBeUndefined();
    expect(world.refusals()).toEqual([expect.stringContaining("each question needs one of its own options")]);
    await world.pressData(message, data(message, "OK"));
    expect(decision(id)).toMatchObject({ behavior: "allow", picks: [1, 4] });
  });

  test("takes no option that was not offered, and no token of another one", async () => {
    const id = await world.ask(questions(colour));
    const message = await world.send(id);
    const [, reference, , token] = data(message, "1 Red").split(":");
    for (const pick of ["2", "3", "0", "allow", "deny"])
      await world.pressData(message, ["answer", reference, pick, token].join(":"));
    expect(world.take(id)).toBeUndefined();
    expect(new Set(world.refusals())).toEqual(new Set(["the button is unknown or no longer valid"]));
  });

  test("with too many options for buttons can only be denied there", async () => {
    const many = { question: "Which?", options: Array.from({ length: 8 }, (_, at) => option(`o${at}`)) };
    const message = await world.sendUnread(await world.ask(questions(many)));
    expect(labels(message)).toEqual(["Deny"]);
    expect(message.text).toContain("It can only be denied here: it has too many options.");
  });

  test("with a long plan is shown whole, in several messages, the last one with buttons", async () => {
    const plan = Array.from({ length: 300 }, (_, at) => `${at + 1}. Move file ${at} to the new folder`).join("\n");
    const id = await world.ask({ tool: "ExitPlanMode", input: { plan } });
    const message = await world.send(id);
    const sent = [...world.bot.messages.values()];
    expect(sent.length).toBeGreaterThan(3);
    expect(sent.map(shownRequest).join("\n")).toBe(plan);
    expect(sent.map(labels)).toEqual([...sent.slice(1).map(() => []), ["Deny", "Allow"]]);
    await world.press(message, "allow");
    expect(decision(id)).toMatchObject({ behavior: "allow" });
  });
});

describe("buttons are read", () => {
  test("by one long poll, only while a request is open, and everything is confirmed afterwards", async () => {
    const id = await world.ask();
    expect(getUpdates()).toEqual([]);
    const message = await world.send(id);
    world.bot.tell({ callback_query: { id: "old", from: ann, data: "other", message } });
    await world.press(message, "allow");
    expect(world.take(id)).toBe(allow);
    await expect.poll(() => world.keeper.messages.readers.isReading("me")).toBe(false);
    expect(world.bot.isPolled).toBe(false);
    expect(world.bot.updates).toEqual([]);
    for (const body of getUpdates()) expect(body.allowed_updates).toEqual(["callback_query"]);
    expect(
      getUpdates()
        .slice(0, -1)
        .every(({ timeout = 0 }) => timeout >= 25 && timeout <= 50),
    ).toBe(true);
    const count = world.api.requests.length;
    world.keeper.poll(world.context);
    expect(world.api.requests).toHaveLength(count);
  });

  test("of all messages of a bot by one reader, and of another bot by its own", async () => {
    const [first, mine] = await askIn("s1");
    const [second, ours] = await askIn("s2", "team");
    const [third, other] = await askIn("s3", "second");
    expect(getUpdates()).toHaveLength(2);
    await world.press(ours, "deny", { id: 5151, is_bot: false });
    await world.press(mine, "allow");
    await world.untilAcknowledged(world.otherBot.press(other, buttonData(other, "deny")), world.otherBot);
    expect([first, second, third].map((id) => world.take(id))).toEqual([allow, deny(), deny()]);
    expect(world.lines.filter(({ status }) => status === "skipped")).toEqual([]);
  });

  test("until the last of several requests has ended, and again for the next", async () => {
    const [[, first], [, second]] = [await askIn("s1"), await askIn("s2")];
    await world.press(first, "allow");
    await expect.poll(() => world.bot.isPolled).toBe(true);
    await world.press(second, "allow");
    await expect.poll(() => world.keeper.messages.readers.isReading("me")).toBe(false);
    const [id, third] = await askIn("s3");
    await world.press(third, "allow");
    expect(world.take(id)).toBe(allow);
  });

  test("after a press of the last worker's button, which is confirmed, dropped and journalled", async () => {
    const message = await world.send(await world.ask());
    await world.replaceWorker();
    const old = world.bot.press(message, buttonData(message, "allow"));
    const id = await world.ask();
    await world.press(await world.send(id), "allow");
    expect(world.take(id)).toBe(allow);
    expect(world.bot.acknowledged.has(old)).toBe(true);
    expect(world.refusals()).toEqual(["its request is unknown: the button is from an earlier worker"]);
    await expect.poll(() => world.bot.updates).toEqual([]);
  });

  test("although another kind of update, or a damaged one, comes first", async () => {
    const id = await world.ask();
    world.bot.updates.push({ update_id: 899_999_998, message: { text: "allow" } });
    world.bot.updates.push({ update_id: 899_999_999, callback_query: 7 });
    const message = await world.send(id);
    world.bot.tell({ callback_query: { id: "damaged" } });
    await world.press(message, "deny");
    expect(world.take(id)).toBe(deny());
  });

  test.each<[string, () => void, RegExp]>([
    [
      "another program has read them",
      () => void world.bot.handle("getUpdates", { timeout: 50 }),
      /auth: \S+ answered 409: something else reads/,
    ],
    ["the network was away", () => world.api.open.forEach((socket) => void socket.destroy()), /unavailable/],
  ])("again after %s, which is journalled once", async (_, disturb, why) => {
    const [id, message] = await askIn("s1");
    disturb();
    await expect.poll(() => world.lines.filter(({ status }) => status === "skipped")).toHaveLength(1);
    const reason = expect.stringMatching(new RegExp(`^answers cannot be read: ${why.source}`));
    expect(world.lines.at(-1)).toMatchObject({ id: "answers-me", notifier: "me", reason });
    const press = world.bot.press(message, buttonData(message, "allow"));
    await world.clock.advance(5_000);
    await world.untilAcknowledged(press);
    expect(world.take(id)).toBe(allow);
  });

  test("at most once a second at a server that does not wait", async () => {
    const handle = world.bot.handle.bind(world.bot);
    world.bot.handle = (method, payload) =>
      handle(method, method === "getUpdates" ? { ...payload, timeout: 0 } : payload);
    const id = await world.ask();
    const message = await world.sendUnread(id);
    await expect.poll(getUpdates).toHaveLength(1);
    for (let count = 2; count < 5; count += 1) {
      await world.clock.advance(999);
      expect(getUpdates()).toHaveLength(count - 1);
      await world.clock.advance(1);
      await expect.poll(getUpdates).toHaveLength(count);
    }
    const press = world.bot.press(message, buttonData(message, "deny"));
    await world.clock.advance(1_000);
    await world.untilAcknowledged(press);
  });

  test("once, even at a server that reports them again", async () => {
    const handle = world.bot.handle.bind(world.bot);
    world.bot.handle = (method, payload) => handle(method, { ...payload, offset: 0 });
    const message = await world.send(await world.ask());
    await world.press(message, "allow", { id: 666, is_bot: false });
    const press = world.bot.press(message, buttonData(message, "allow"));
    const isAcknowledged = async () => {
      await world.clock.advance(1_000);
      return world.bot.acknowledged.has(press);
    };
    await expect.poll(isAcknowledged).toBe(true);
    expect(world.lines.map(({ status }) => status).filter((status) => status !== "updated")).toEqual([
      "asked",
      "refused",
      "answered",
    ]);
  });

  test("by a command that has the account's turn, before the worker goes on", async () => {
    const account = `${world.api.origin}/bot${world.bot.token}/`;
    const lock = await acquire(readingLock(world.paths, account), createClock());
    const id = await world.ask();
    const message = await world.sendUnread(id);
    world.clock.skip(2_000);
    world.bot.handle("getUpdates", { allowed_updates: ["message", "callback_query"] });
    const press = world.bot.press(message, buttonData(message, "allow"));
    await world.clock.advance(2_000);
    expect(getUpdates()).toEqual([]);
    lock?.release();
    await world.clock.advance(1_000);
    await world.untilAcknowledged(press);
    expect(world.take(id)).toBe(allow);
    expect(world.lines.map(({ status }) => status)).not.toContain("skipped");
  });
});

describe("how a request ended is shown in its message, without buttons", () => {
  const until = async (message: TelegramMessage, text: RegExp) => {
    await expect.poll(() => current(message).text).toMatch(text);
    expect(labels(current(message))).toEqual([]);
  };

  test("if it was answered there", async () => {
    const message = await world.send(await world.ask());
    await world.press(message, "allow");
    await until(message, /Allowed by Ann \(4242\) at .*\d\d:\d\d.*, via me$/);
  });

  test("if it was answered at the terminal", async () => {
    const [id, message] = await askIn("s1");
    world.denyAtTerminal(id);
    await until(message, /Denied by \S+ at .*, via terminal$/);
  });

  test("if nobody answered in time, in every chat", async () => {
    const id = await world.ask();
    const messages = [await world.send(id), await world.send(id, "team")];
    world.clock.skip(600_000);
    world.keeper.poll(world.context);
    for (const message of messages) await until(message, /Can no longer be answered here, since .*$/);
    await expect.poll(() => world.keeper.busy).toBe(false);
    expect(world.statuses(id)).toEqual(["asked", "given-up", "updated", "updated"]);
  });

  test("after a pause that Telegram asks for", async () => {
    const message = await world.send(await world.ask());
    world.bot.floodedEdits = 2;
    await world.press(message, "deny");
    await expect.poll(() => world.bot.floodedEdits).toBe(1);
    await world.clock.advance(1_000);
    await expect.poll(() => world.bot.floodedEdits).toBe(0);
    await world.clock.advance(1_000);
    await until(message, /Denied by Ann/);
  });

  test("unless the message is too old or deleted, which is no failure", async () => {
    const [[, first]] = [await askIn("s1"), await askIn("s2")];
    world.bot.isEditingOver = true;
    await world.press(first, "deny");
    world.bot.messages.clear();
    world.clock.skip(600_000);
    world.keeper.poll(world.context);
    await expect.poll(() => world.keeper.messages.busy).toBe(false);
    expect(world.lines.filter(({ status }) => status === "skipped")).toEqual([]);
  });
});

test("a press is acknowledged with its result, and a stranger's without one", async () => {
  const message = await world.send(await world.ask());
  const stranger = world.bot.press(message, buttonData(message, "allow"), { id: 666, is_bot: false });
  const own = world.bot.press(message, buttonData(message, "allow"));
  const late = world.bot.press(message, buttonData(message, "allow"));
  await expect.poll(() => world.bot.acknowledged.size).toBe(3);
  expect([stranger, own, late].map((id) => world.bot.acknowledged.get(id))).toEqual([
    undefined,
    "Allowed.",
    "Too late: this can no longer be answered here.",
  ]);
});

describe("while a message can be answered, the button Seen", () => {
  /** Presses Seen below another message of the bot. Returns the state of its concern. */
  const pressSeen = async (): Promise<string | undefined> => {
    world.bot.handle("sendMessage", { chat_id: chat, text: "done" });
    world.bot.handle("editMessageText", { chat_id: chat, message_id: 1, text: "done twice" });
    const seen = world.bot.last ?? expect.fail("not sent");
    const sent = { group: "g", atMs: world.clock.now(), receipt: { messageId: seen.message_id, chat } };
    world.alerts.put(
      makeAlert({
        concerns: [concern("e1", { event: { sessionId: "s-1", cwd: "/home/me/shop" }, messages: { me: [sent] } })],
      }),
    );
    await world.send(await world.ask());
    await world.pressData(seen, "seen");
    return world.alerts.all().flatMap(({ concerns }) => concerns)[0]?.state;
  };

  test("works below another message of the bot", async () => {
    await world.configure({ button: true });
    expect(await pressSeen()).toBe("resolved");
  });

  test("does nothing if the entry has no such buttons", async () => {
    expect(await pressSeen()).toBe("ringing");
  });

  test("does nothing below that message, which has none", async () => {
    await world.configure({ button: true });
    const message = await world.send(await world.ask());
    expect(labels(message)).toEqual(["Deny", "Allow"]);
    await world.pressData(message, "seen");
    expect(world.lines.map(({ status }) => status)).toEqual(["asked"]);
    expect(world.keeper.asks.open).toHaveLength(1);
  });
});
