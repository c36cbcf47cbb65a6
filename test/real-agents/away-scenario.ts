import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ask } from "../../src/answers/ask-files.ts";
import { findProcess } from "../../src/files/process-table.ts";
import { typeAnswer } from "../world/asking-agent.ts";
import { ann, buttonData, startTelegramBotApi, TelegramBot, type TelegramMessage } from "../world/telegram-bot-api.ts";
import {
  allowInDialog,
  journal,
  marker,
  maxEndMs,
  maxOrphanMs,
  openAsks,
  reason,
  untilRan,
  untilReleased,
  waitingHooks,
  workerPid,
} from "./answers-scenario.ts";
import { modelLog, type Session } from "./session.ts";
import { until } from "./terminal.ts";

/**
 * The user types nothing for ten seconds, and then the agent asks: its dialog stays closed while the hook waits. The user
 * allows and refuses at another terminal. Every fault becomes a trouble of the session.
 */
export async function playAway(session: Session): Promise<void> {
  const took: Record<string, number> = {};
  const answer = async (step: string, isAllowed: boolean, ...args: readonly string[]) => {
    const ask = await asked(session);
    if (session.agent.asksPermission.test(session.terminal.screen()))
      session.troubles.push(`${step}: the dialog is open beside the hook`);
    if (ask) await typeAnswer(process, [ask.id, ...args], args[0] ?? "");
    const answeredAt = () => journal().findLast(({ status }) => status === "answered")?.at ?? "";
    took[step] = await untilReleased(session, step, maxEndMs, () => Date.parse(answeredAt()));
    await untilRan(session, step, isAllowed);
  };
  await session.headless("SHELL");
  if (journal().some(({ status }) => status === "asked")) session.troubles.push("a run without a terminal asked");
  await session.open();
  await answer("allow", true, "allow");
  await answer("deny", false, "deny", "--reason", reason);
  if (!readFileSync(modelLog, "utf8").includes(reason)) session.troubles.push("the model did not hear the reason");
  await session.say("LATETWO");
  for (const count of [1, 2]) {
    if (!(await until(() => openAsks().length > 0, 60))) session.stuck(`request ${count} of two cannot be answered`);
    await sleep(1_200); // past the second in which nothing is allowed
    const [ask] = openAsks();
    if (ask) await typeAnswer(process, [ask.id, "allow"], "allow");
  }
  await session.shows(/Both commands ran/);
  writeFileSync("/home/out/answers.json", JSON.stringify(took, null, 1));
  await session.leave();
}

/**
 * The agent asks while the user is away, and its hook ends without an answer: at a key, with the worker, after its time,
 * and with the agent. While the user is at the terminal, it ends at once. Every fault becomes a trouble of the session.
 */
export async function playReleased(session: Session): Promise<void> {
  const took: Record<string, number> = {};
  const release = async (step: string, maxMs: number, act: () => unknown) => {
    await asked(session);
    const beganAtMs = Date.now();
    act();
    took[step] = await untilReleased(session, step, maxMs, () => beganAtMs);
    return beganAtMs;
  };
  const leaveToDialog = async (step: string, maxMs: number, act: () => unknown) => {
    const beganAtMs = await release(step, maxMs, act);
    await session.shows(session.agent.asksPermission, 20);
    took[`${step}: the dialog`] = Date.now() - beganAtMs;
    await allowInDialog(session, step);
  };
  await session.open();
  await leaveToDialog("a key", maxEndMs, () => session.terminal.press("Right"));
  await leaveToDialog("Enter", maxEndMs, () => session.terminal.press("Enter"));
  await leaveToDialog("the worker is killed", maxOrphanMs, () => process.kill(workerPid(), "SIGKILL"));
  await leaveToDialog("nobody answers", 35_000, () => {});

  writeFileSync(marker, "");
  await session.say("SHELL");
  await session.shows(session.agent.asksPermission);
  const given = journal().findLast(({ status }) => status === "given-up");
  if (given?.reason !== "you are at this machine") session.troubles.push(`at the terminal: ${given?.reason}`);
  await allowInDialog(session, "at the terminal");

  await release("the agent is killed", maxEndMs, () => {
    const shell = findProcess(waitingHooks()[0] ?? 0)?.parentPid ?? 0;
    process.kill(findProcess(shell)?.parentPid ?? 0, "SIGKILL");
  });
  if (!(await until(() => openAsks().length === 0, 5))) session.troubles.push("an ask outlived its agent");
  writeFileSync("/home/out/answers.json", JSON.stringify(took, null, 1));
}

/** Has the agent ask 18 seconds after the prompt, and waits until the request can be answered elsewhere. */
async function asked(session: Session): Promise<Ask | undefined> {
  const earlier = openAsks().map(({ id }) => id);
  const find = () => openAsks().find(({ id }) => !earlier.includes(id));
  writeFileSync(marker, "");
  await session.say("LATESHELL");
  if (!(await until(() => find() !== undefined, 60))) session.stuck("the request cannot be answered");
  await sleep(1_200); // past the second in which nothing is allowed
  return find();
}

/** Port of the Bot API server. The sandbox has a network of its own. */
const port = 8_181;
const token = "123456:ABCdefGHIjklMNOpqrSTUvwxYZ0123456789";
/** Notifier for the user's chat. */
export const botApiEntry = { type: "telegram", token, chatId: String(ann.id), server: `http://127.0.0.1:${port}` };

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
    took[step] = await untilReleased(session, step, maxMs, () => beganAtMs);
  };
  const answer = async (step: string, choice: "allow" | "deny", outcome: RegExp): Promise<void> => {
    const message = await askedInChat(session, bot);
    press(message, choice);
    await untilEnd(step, maxEndMs);
    await untilRan(session, step, choice === "allow");
    const text = current(message)?.text ?? "";
    if (!outcome.test(text)) session.troubles.push(`${step}: the message says ${JSON.stringify(text)}`);
  };
  await session.open();
  await answer("allow", "allow", /Allowed by Ann \(4242\)/);
  await answer("deny", "deny", /Denied by Ann \(4242\)/);

  const orphan = await askedInChat(session, bot);
  process.kill(workerPid(), "SIGKILL");
  press(orphan, "allow");
  await untilEnd("the worker is killed", maxOrphanMs);
  await session.shows(session.agent.asksPermission, 20);
  await allowInDialog(session, "the worker is killed");

  await answer("after an old button", "deny", /Denied by Ann \(4242\)/);
  const refused = journal().findLast(({ status }) => status === "refused");
  if (!/earlier worker/.test(refused?.reason ?? "")) session.troubles.push(`the old button: ${refused?.reason}`);
  writeFileSync("/home/out/answers.json", JSON.stringify(took, null, 1));
  await session.leave();
}

/** Has the agent ask 18 seconds after the prompt. Returns the new message, once a press may allow. */
async function askedInChat(session: Session, bot: TelegramBot): Promise<TelegramMessage> {
  writeFileSync(marker, "");
  const known = new Set(bot.messages.values());
  const find = () => [...bot.messages.values()].find((sent) => !known.has(sent) && sent.text.includes("rm -rf"));
  await session.say("LATESHELL");
  if (!(await until(() => find() !== undefined && bot.isPolled, 60))) session.stuck("the chat has no request");
  await sleep(1_200); // past the second in which nothing is allowed
  return find() as TelegramMessage;
}
