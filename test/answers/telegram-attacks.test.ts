import { expect, test } from "vitest";
import { ann, buttonData, type TelegramMessage, type TelegramUser } from "../world/telegram-bot-api.ts";
import { allow, deny } from "./replies.ts";
import { ben, group, TelegramWorld } from "./telegram-world.ts";

/** An attempt to have a request allowed, with the request's id and its message. */
type Attack = (world: TelegramWorld, id: string, message: TelegramMessage) => Promise<unknown>;

const evil = "Bash: ls";
const stranger = { id: 666, is_bot: false, first_name: "Ann" };
/** Presses Allow with differences to what Telegram would report. */
const withChanges =
  (changes: (message: TelegramMessage) => object): Attack =>
  (world, _, message) =>
    world.press(message, "allow", ann, changes(message));
const withMessage = (changes: (message: TelegramMessage) => object): Attack =>
  withChanges((message) => ({ message: { ...message, ...changes(message) } }));
/** Presses with data that the user's program has made up. */
const withData =
  (data: (genuine: string, message: TelegramMessage) => string): Attack =>
  (world, _, message) =>
    world.pressData(message, data(buttonData(message, "allow"), message));
/** Changes who may press what, and presses. */
const withRights =
  (users: readonly number[], may: readonly ("deny" | "allow")[], from: TelegramUser = ann): Attack =>
  (world, _, message) => {
    world.settings.from = { me: { users: [...users], may: [...may] } };
    return world.press(message, "allow", from);
  };
/** Lists another id as the user's, and presses with it. */
const asUser = (id: number, is_bot = false): Attack => withRights([ann.id, id], ["deny", "allow"], { id, is_bot });
/** Sends another request's message. */
const sendOther = async (world: TelegramWorld) =>
  world.send(await world.ask({ sessionId: "s2", input: { command: evil } }));
/** Has something happen while the messages are still read for another request, and presses. */
const afterwards =
  (happens: (world: TelegramWorld, id: string, message: TelegramMessage) => unknown): Attack =>
  async (world, id, message) => {
    await sendOther(world);
    await happens(world, id, message);
    await world.press(message, "allow");
  };
/** Edits the message with the bot's token, as a thief of the token can. */
const edit = (world: TelegramWorld, message: TelegramMessage, text: string) => {
  const { chat, message_id, reply_markup } = message;
  world.bot.handle("editMessageText", { chat_id: chat.id, message_id, text, reply_markup });
};

const field = (data: string, index: number): string => data.split(":")[index] ?? "";
const replaceField = (data: string, index: number, value: string): string =>
  data.split(":").with(index, value).join(":");

/** Attempts to have a request allowed, by the reason in the journal. */
const attacks: Readonly<Record<string, Readonly<Record<string, Attack>>>> = {
  "this user is not in `users`": {
    "a stranger presses": (world, _, message) => world.press(message, "allow", stranger),
    "a person presses who is listed for another chat": (world, _, message) => world.press(message, "allow", ben),
    "the message has been replaced by another chat's message": async (world, id, message) =>
      world.pressData(await world.send(id, "team"), buttonData(message, "allow")),
    "the press comes after the user was removed from the list": withRights([ben.id], ["deny", "allow"]),
  },
  "it was not pressed by a single person": {
    "an anonymous group administrator presses, whose id is listed": asUser(1_087_968_824),
    "a channel presses, whose id is listed": asUser(136_817_688),
    "Telegram's own account presses, whose id is listed": asUser(777_000),
    "a bot presses, whose id is listed": asUser(99, true),
  },
  "it is malformed": {
    "the id is a text": (world, _, message) => world.press(message, "allow", { ...ann, id: "4242" as never }),
    "the id is a fraction": (world, _, message) => world.press(message, "allow", { ...ann, id: 4242.5 }),
    "the id is missing": withChanges(() => ({ from: undefined })),
    "the data is a number": withChanges(() => ({ data: 7 })),
  },
  "a chat pressed or sent it, not a person": {
    "a chat presses in a person's name": withChanges(() => ({ sender_chat: { id: group } })),
    "the message was sent in a chat's name": withMessage(() => ({ sender_chat: { id: group } })),
  },
  "its message is from another sender": {
    "the message is from another bot": withMessage(() => ({ from: { id: 654321, is_bot: true } })),
  },
  "its message is not the one that beckon sent, or has been changed": {
    "the message has the same number in another chat": withMessage(() => ({ chat: { id: group, type: "supergroup" } })),
    "the message has another number": withMessage(({ message_id }) => ({ message_id: message_id + 1 })),
    "the text is another, without a sign of an edit": withMessage(() => ({ text: evil })),
    "the labels of the buttons are swapped, without a sign of an edit": withMessage(({ reply_markup }) => {
      const [left, right] = reply_markup?.inline_keyboard[0] ?? [];
      const swapped = [
        { ...left, text: right?.text },
        { ...right, text: left?.text },
      ];
      return { reply_markup: { inline_keyboard: [swapped] } };
    }),
    "the message has lost its buttons": withMessage(() => ({ reply_markup: undefined })),
    "a thief of the token sends the buttons again": async (world, _, message) => {
      const { text, entities, reply_markup } = message;
      world.bot.handle("sendMessage", { chat_id: message.chat.id, text, entities, reply_markup });
      const copy = world.bot.last ?? message;
      expect(copy.message_id).not.toBe(message.message_id);
      await world.press(copy, "allow");
    },
    "the button is another request's": async (world, _, message) =>
      world.pressData(message, buttonData(await sendOther(world), "allow")),
  },
  "its message was sent by a person through the bot": {
    "the message was sent by a person through the bot": withChanges(() => ({
      message: undefined,
      inline_message_id: "x",
    })),
    "the message is there, and an inline message too": withChanges(() => ({ inline_message_id: "x" })),
  },
  "its message can no longer be read": {
    "the message is missing": withChanges(() => ({ message: undefined })),
    "the message can no longer be read": withChanges(({ chat, message_id }) => ({
      message: { chat, message_id, date: 0 },
    })),
  },
  "its message has been changed": {
    "a thief of the token edits the text": (world, _, message) => {
      edit(world, message, evil);
      return world.pressData(message, buttonData(message, "allow"));
    },
    "a thief of the token edits the text, and back": (world, _, message) => {
      edit(world, message, evil);
      edit(world, message, message.text);
      return world.pressData(message, buttonData(message, "allow"));
    },
    "the press comes after a press of Deny, which the message shows": afterwards(async (world, _, message) => {
      await world.press(message, "deny");
      await expect.poll(() => world.bot.messages.get(`${message.chat.id} 1`)?.edit_date).toBeDefined();
    }),
  },
  "the button is unknown or no longer valid": {
    "the button is replayed at another bot": async (world, id, message) => {
      await world.send(id, "second");
      await world.untilAcknowledged(world.otherBot.press(message, buttonData(message, "allow")), world.otherBot);
    },
    "another bot's button is replayed on this message": async (world, id, message) =>
      world.pressData(message, buttonData(await world.send(id, "second"), "allow")),
    "the same bot's button for another chat is replayed": async (world, id, message) =>
      world.pressData(message, buttonData(await world.send(id, "team"), "allow")),
    "the token is that of another request": async (world, _, message) => {
      const other = await sendOther(world);
      const data = replaceField(buttonData(message, "allow"), 3, field(buttonData(other, "allow"), 3));
      await world.pressData(message, data);
    },
    "the token is that of the other choice": withData((data, message) =>
      replaceField(data, 3, field(buttonData(message, "deny"), 3)),
    ),
    "the choice is exchanged": withData((_, message) => replaceField(buttonData(message, "deny"), 2, "allow")),
    "the token's first letter is another": withData((data) => {
      const token = field(data, 3);
      return replaceField(data, 3, `${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`);
    }),
    "the press comes after the right was taken away": withRights([ann.id], ["deny"]),
  },
  "its request is unknown: the button is from an earlier worker": {
    "the button is from before the worker": async (world, _, message) => {
      await world.replaceWorker();
      await world.send(await world.ask());
      await world.press(message, "allow");
    },
    "the request is unknown": withData((data) => replaceField(data, 1, "AAAAAAAAAAA")),
  },
  "the button is none of beckon's": {
    "the choice does not exist": withData((data) => replaceField(data, 2, "always")),
    "the choice is in capitals": withData((data) => replaceField(data, 2, "ALLOW")),
    "the token is missing": withData((data) => replaceField(data, 3, "")),
    "the token is shorter": withData((data) => data.slice(0, -1)),
    "the token is longer": withData((data) => `${data}A`),
    "the data is one word": withData(() => "allow"),
    "the data is empty": withData(() => ""),
    "the data is missing": withChanges(() => ({ data: undefined })),
    "the data has a second line": withData((data) => `${data}\nallow`),
  },
  late: {
    "the press comes after the time": (world, _, message) => {
      world.clock.skip(600_000);
      return world.press(message, "allow");
    },
    "the press comes after the answer at the terminal": afterwards((world, id) => world.denyAtTerminal(id)),
    "the press comes after a press of Deny, which the message does not show yet": async (world, _, message) => {
      await sendOther(world);
      await world.press(message, "deny");
      await world.pressData(message, buttonData(message, "allow"), ann, { message });
    },
    "the press comes after a prompt": afterwards((world) => world.tell("UserPromptSubmit", { prompt: "go on" })),
    "the press comes after the hook has ended": async (world, _, message) => {
      await world.endHook();
      await world.press(message, "allow");
    },
  },
  "answers are switched off": {
    "the press comes after answers were switched off": (world, _, message) => {
      world.plant("off", JSON.stringify({ reason: "x", at: "x" }));
      return world.press(message, "allow");
    },
  },
  "allowed within a second after it was shown": {
    "the press comes within a second": async (world) => {
      const message = await world.sendUnread(await world.ask({ sessionId: "s2" }));
      world.clock.skip(999);
      await world.press(message, "allow");
    },
  },
};

const rows = Object.entries(attacks).flatMap(([reason, group]) =>
  Object.entries(group).map(([what, attack]) => [what, reason, attack] as const),
);

test.each(rows)("nothing is allowed if %s, and the journal says: %s", async (_, reason, attack) => {
  const world = await TelegramWorld.start();
  const id = await world.ask();
  await attack(world, id, await world.send(id));
  expect(world.lines.filter(({ choice, status }) => status === "answered" && choice === "allow")).toEqual([]);
  expect(world.files().filter((name) => world.answer(name) === allow)).toEqual([]);
  expect(world.refusals().at(-1)).toBe(reason);
  expect(JSON.stringify(world.lines)).not.toMatch(/ABCdefGHI|answer:/);
});

test("the user's own presses of genuine buttons count", async () => {
  const world = await TelegramWorld.start();
  const [first, second] = [await world.ask(), await world.ask({ sessionId: "s2" })];
  const [allowed, denied] = [await world.send(first), await world.send(second, "team")];
  await world.press(allowed, "allow");
  await world.press(denied, "deny", ben);
  expect([world.take(first), world.take(second)]).toEqual([allow, deny()]);
  expect(world.lines.filter(({ status }) => status === "answered")).toMatchObject([
    { choice: "allow", via: "me", by: "Ann (4242)" },
    { choice: "deny", via: "team", by: "Ben (5151)" },
  ]);
  expect(world.refusals()).toEqual([]);
});
