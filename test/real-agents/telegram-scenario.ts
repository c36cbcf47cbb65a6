import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ann, buttonData, startTelegramBotApi, TelegramBot, type TelegramMessage } from "../world/telegram-bot-api.ts";
import { clearScreen, journal, marker, waitingHooks, workerPid } from "./answers-scenario.ts";
import type { Session } from "./session.ts";
import { until } from "./terminal.ts";

/** Port of the Bot API server. The sandbox has a network of its own. */
const port = 8_181;
const token = "123456:ABCdefGHIjklMNOpqrSTUvwxYZ0123456789";
/** Notifier for the user's chat. */
export const botApiEntry = { type: "telegram", token, chatId: String(ann.id), server: `http://127.0.0.1:${port}` };
/** Longest times, in milliseconds: from a press to the hook's end, and from the worker's end to the hook's. */
const maxEndMs = 1_000;
const maxOrphanMs = 6_000;

/**
 * The user types nothing for ten seconds, then the agent asks, and the user presses buttons in a chat. The third request
 * loses its worker, whose button is pressed afterwards. Every fault becomes a trouble of the session.
 */
export async function playInChat(session: Session): Promise<void> {
  const bot = new TelegramBot(token, [ann.id]);
  await startTelegramBotApi([bot], port);
  const took: Record<string, number> = {};
  const current = ({ chat, message_id }: TelegramMessage) => bot.messages.get(`${chat.id} ${message_id}`);
  const press = (message: TelegramMessage, choice: "allow" | "deny") => bot.press(message, buttonData(message, choice));
  const untilEnd = async (step: string, maxMs: number): Promise<void> => {
    const beganAtMs = Date.now();
    await until(() => waitingHooks().length === 0, 20);
    took[step] = Date.now() - beganAtMs;
    if (!(took[step] < maxMs)) session.troubles.push(`${step}: the hook ended only after ${took[step]} ms`);
  };
  const untilRan = async (step: string, isAllowed: boolean): Promise<void> => {
    await session.shows(/The command ran/);
    if (existsSync(marker) === isAllowed)
      session.troubles.push(`${step}: the command ${isAllowed ? "did not run" : "ran"}`);
    await clearScreen(session);
  };
  const answer = async (step: string, choice: "allow" | "deny", outcome: RegExp): Promise<void> => {
    const message = await asked(session, bot);
    press(message, choice);
    await untilEnd(step, maxEndMs);
    await untilRan(step, choice === "allow");
    const text = current(message)?.text ?? "";
    if (!outcome.test(text)) session.troubles.push(`${step}: the message says ${JSON.stringify(text)}`);
  };
  await session.open();
  await answer("allow", "allow", /Allowed by Ann \(4242\)/);
  await answer("deny", "deny", /Denied by Ann \(4242\)/);

  const orphan = await asked(session, bot);
  process.kill(workerPid(), "SIGKILL");
  press(orphan, "allow");
  await untilEnd("the worker is killed", maxOrphanMs);
  await session.shows(session.agent.asksPermission, 20);
  await session.press(...(session.agent.allow ?? ["Enter"]));
  await untilRan("the worker is killed", true);

  await answer("after an old button", "deny", /Denied by Ann \(4242\)/);
  const refused = journal().findLast(({ status }) => status === "refused");
  if (!/earlier worker/.test(refused?.reason ?? "")) session.troubles.push(`the old button: ${refused?.reason}`);
  writeFileSync("/home/out/answers.json", JSON.stringify(took, null, 1));
  await session.leave();
}

/** Has the agent ask 18 seconds after the prompt. Returns the new message, once a press may allow. */
async function asked(session: Session, bot: TelegramBot): Promise<TelegramMessage> {
  writeFileSync(marker, "");
  const known = new Set(bot.messages.values());
  const find = () => [...bot.messages.values()].find((sent) => !known.has(sent) && sent.text.includes("rm -rf"));
  await session.say("LATESHELL");
  if (!(await until(() => find() !== undefined && bot.isPolled, 60))) session.stuck("the chat has no request");
  await sleep(1_200); // past the second in which nothing is allowed
  return find() as TelegramMessage;
}
