import { existsSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { askedPayload, askingConfig, startAgent, useAskingHome } from "../world/asking-agent.ts";
import { ann, buttonData, startTelegramBotApi, TelegramBot, type TelegramMessage } from "../world/telegram-bot-api.ts";
import { useEach } from "../world/use.ts";
import { allow, deny } from "./replies.ts";

const home = useAskingHome();
let bot: TelegramBot;
const api = useEach("close", () => {
  bot = new TelegramBot("123456:ABCdefGHIjklMNOpqrSTUvwxYZ0123456789", [ann.id]);
  return startTelegramBotApi([bot]);
});
beforeEach(() => home.writeConfig(config()));

const config = (answers: object = {}) => ({
  notifiers: { me: { type: "telegram", token: bot.token, chatId: String(ann.id), server: api.origin } },
  lookups: [],
  attention: { wait: "0s" },
  answers: { ...askingConfig.answers, from: { me: { users: [ann.id], may: ["deny", "allow"] } }, ...answers },
});
const silence = { printed: "", exitCode: 0 };
const ask = (sessionId: string, seconds = 60) =>
  startAgent(home, askedPayload({ tool: "Bash", input: { command: `echo ${sessionId}` }, sessionId }), seconds);

/** Waits for the message about a session's request, and until a press of it may allow. */
async function untilReadable(sessionId: string): Promise<TelegramMessage> {
  const find = () => [...bot.messages.values()].find(({ text }) => text.includes(`echo ${sessionId}`));
  await expect.poll(find, { timeout: 15_000 }).toBeDefined();
  const message = find() ?? expect.fail("no message");
  const sentAtMs = Date.now();
  await expect.poll(() => Date.now() - sentAtMs).toBeGreaterThan(1_100);
  return message;
}
const press = (message: TelegramMessage, choice: "allow" | "deny") => bot.press(message, buttonData(message, choice));
const current = ({ chat, message_id }: TelegramMessage) => bot.messages.get(`${chat.id} ${message_id}`);

test("presses in Telegram allow one of two requests and deny the other, each in its own message", async () => {
  const agents = [ask("s1"), ask("s2")];
  const [first, second] = [await untilReadable("s1"), await untilReadable("s2")];
  press(second, "deny");
  press(first, "allow");
  expect(await agents[0]?.end).toMatchObject({ printed: allow, exitCode: 0 });
  expect(await agents[1]?.end).toMatchObject({ printed: deny(), exitCode: 0 });
  await expect.poll(() => current(first)?.text).toMatch(/Allowed by Ann \(4242\)/);
  await expect.poll(() => current(second)?.text).toMatch(/Denied by Ann \(4242\)/);
  await expect.poll(() => bot.updates).toEqual([]);
  expect(home.journal().some(({ status }) => status === "failed" || status === "skipped")).toBe(false);
});

describe("without a press, the agent's own dialog decides", () => {
  test("after the time, and the message has lost its buttons", async () => {
    const agent = ask("s1", 4);
    const message = await untilReadable("s1");
    expect(await agent.end).toMatchObject(silence);
    await expect.poll(() => current(message)?.text).toMatch(/Can no longer be answered here/);
    expect(current(message)?.reply_markup).toBeUndefined();
    await expect.poll(() => bot.isPolled).toBe(false);
  });

  test("after the worker was killed, whose button the next worker does not accept", async () => {
    const agent = ask("s1");
    const message = await untilReadable("s1");
    await home.killWorker();
    press(message, "allow");
    expect(await agent.end).toMatchObject(silence);
    const next = ask("s2");
    const other = await untilReadable("s2");
    const lines = await home.until((journal) => journal.some(({ status }) => status === "refused"));
    expect(lines.find(({ status }) => status === "refused")?.reason).toMatch(/earlier worker/);
    press(other, "deny");
    expect(await next.end).toMatchObject({ printed: deny() });
  });
});

describe("nothing is read", () => {
  test("without the setting", async () => {
    home.writeConfig({ ...config(), answers: undefined });
    const payload = askedPayload({ tool: "Bash", input: { command: "echo 1" } });
    expect((await home.launch(["PermissionRequest", "--agent", "claude"], payload)).stdout).toBe("");
    await home.until((journal) => journal.some(({ status }) => status === "sent"));
    expect(api.requests.map(({ path }) => path.split("/").at(-1))).toEqual(["sendMessage"]);
    expect(bot.last?.reply_markup).toBeUndefined();
    expect(existsSync(home.paths.asks)).toBe(false);
  });

  test("for a notifier that is not named, and while no request is open", async () => {
    home.writeConfig(config({ from: {} }));
    const agent = ask("s1", 3);
    expect(await agent.end).toMatchObject(silence);
    await home.until((journal) => journal.some(({ status }) => status === "given-up"));
    expect(api.requests.map(({ path }) => path.split("/").at(-1))).not.toContain("getUpdates");
  });
});
