import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ask, readOpenAsks } from "../../src/answers/ask-files.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { readJournal } from "../../src/journal/read-journal.ts";
import { startBoard, typeAnswer } from "../world/asking-agent.ts";
import { startButtonDesktop } from "../world/button-desktop.ts";
import { home, project } from "./agents/agent.ts";
import { markerCommand, shownPlan } from "./model/script.ts";
import { modelLog, type Session } from "./session.ts";
import { until } from "./terminal.ts";

const cli = join(import.meta.dirname, "..", "..", "dist", "cli.js");
const beckon = join(home, ".beckon");
/** File that the command removes. */
export const marker = join(project, markerCommand.split(" ").at(-1) ?? "");
/** Reason that the user gives with a denial. */
export const reason = "Use the staging host.";
/** Longest times, in milliseconds: from an answer to the hook's end, and from the worker's end to the hook's. */
export const maxEndMs = 1_000;
export const maxOrphanMs = 6_000;

/** Makes a function that notes a trouble of the session unless a condition holds. */
const checkIn =
  ({ troubles }: Session) =>
  (isSo: boolean, otherwise: string) => {
    if (!isSo) troubles.push(otherwise);
  };

interface Took {
  readonly step: string;
  readonly tookMs: number;
}

/**
 * Plays requests to run a command, which the user answers in another terminal, with a notification's buttons, on the
 * board, or not at all. Every fault becomes a trouble of the session.
 */
export async function playAnswers(session: Session): Promise<void> {
  const desktop = await startDesktop();
  await session.open();
  const took: Took[] = [];
  const check = checkIn(session);
  const answered = async (step: string, isAllowed: boolean, act: (ask: Ask) => Promise<unknown>) => {
    const ask = await asked(session);
    await act(ask);
    await until(() => waitingHooks().length === 0, 20);
    const endedAtMs = Date.now();
    const line = journal().findLast(({ status }) => status === "answered");
    took.push({ step, tookMs: endedAtMs - Date.parse(line?.at ?? "") });
    await untilRan(session, step, isAllowed);
  };
  /** Checks that the agent's own dialog is there, and allows the command in it. */
  const leftToDialog = async (step: string, act: (ask: Ask) => Promise<unknown> | unknown) => {
    const ask = await asked(session);
    const beganAtMs = Date.now();
    await act(ask);
    await until(() => waitingHooks().length === 0, 100);
    took.push({ step, tookMs: Date.now() - beganAtMs });
    check(waitingHooks().length === 0, `${step}: the hook went on waiting`);
    check(session.agent.asksPermission.test(session.terminal.screen()), `${step}: the dialog is gone`);
    await allowInDialog(session, step);
  };

  const press = async (button: "allow" | "deny") => {
    const id = openAsks()[0]?.id;
    const isShown = (line: JournalLine) => line.id === id && line.notifier === "desk" && line.status === "sent";
    await until(() => journal().some(isShown), 20);
    await sleep(1_500); // past the second in which nothing is allowed
    await desktop.press(button, `/home/out/bubble-${button}.png`);
  };
  await answered("allow by a button", true, () => press("allow"));
  await answered("deny by a button", false, () => press("deny"));
  await answered("allow at a terminal", true, ({ id }) => typeAnswer(process, [id, "allow"], "allow"));
  await answered("deny at a terminal", false, ({ id }) =>
    typeAnswer(process, [id, "deny", "--reason", reason], "deny"),
  );
  check(readFileSync(modelLog, "utf8").includes(reason), "the model did not hear the reason");
  await onBoard(async (press) => {
    await answered("allow on the board", true, (ask) => press(ask, "allow"));
    await answered("deny on the board", false, (ask) => press(ask, "deny"));
  });
  await asked(session);
  await session.press("Enter");
  await session.shows(/The command ran/);
  const isEnded = await until(() => waitingHooks().length === 0 && openAsks().length === 0, 20);
  check(isEnded, "an ask outlived the terminal's answer");
  await clearScreen(session);
  await leftToDialog("the worker is killed", () => process.kill(workerPid(), "SIGKILL"));
  await leftToDialog("the hook is killed", () => process.kill(waitingHooks()[0] ?? 0, "SIGKILL"));
  await leftToDialog("answers are switched off", () => beckonCommand("answers", "off"));
  beckonCommand("answers", "on");
  await leftToDialog("beckon is gone", () => renameSync(beckon, `${beckon}-gone`));
  rmSync(beckon, { recursive: true, force: true }); // the worker's last journal line
  renameSync(`${beckon}-gone`, beckon);
  await leftToDialog("nobody answers", () => {});
  writeFileSync("/home/out/answers.json", JSON.stringify(took, null, 1));
  for (const { step, tookMs } of took.slice(0, 6))
    check(tookMs < maxEndMs, `${step}: the hook ended only after ${tookMs} ms`);
  const killed = took.find(({ step }) => step === "the worker is killed");
  check((killed?.tookMs ?? 0) < maxOrphanMs, `the hook outlived its worker by ${killed?.tookMs} ms`);
  await session.leave();
  await desktop.stop();
}

/**
 * A sub-agent in the background asks, whose hook keeps the dialog from opening. It is held while the user is away, and
 * a key releases it.
 */
export async function playInBackground(session: Session): Promise<void> {
  const desktop = await startDesktop();
  await session.open();
  const check = checkIn(session);
  const isAsking = () => session.agent.asksPermission.test(session.terminal.screen());
  const asks = async () => {
    writeFileSync(marker, "");
    await session.say("TASKASKS");
    check(await until(() => openAsks().length > 0, 60), "the sub-agent's request was not held while the user was away");
    await sleep(2_000);
    check(!isAsking(), "the dialog opened while the hook waited");
    return openAsks()[0] as Ask;
  };
  const ran = () => check(!existsSync(marker), "the command did not run");
  await asks();
  session.terminal.press("Space");
  await session.shows(session.agent.asksPermission, 20);
  check(wasSkipped("you are at the agent's terminal"), "no key released the hook");
  await sleep(5_000);
  await session.press("Down", "Up"); // keys delay the agent's report of its dialog
  await sleep(12_000);
  await session.press("Enter");
  await until(() => !existsSync(marker), 20);
  ran();
  await clearScreen(session);
  await typeAnswer(process, [(await asks()).id, "allow"], "allow");
  await until(() => !existsSync(marker), 20);
  ran();
  await clearScreen(session);
  writeFileSync(marker, "");
  await session.say("TASKASKS");
  for (let tries = 0; tries < 20 && !isAsking(); tries += 1) {
    session.terminal.press("Space");
    await sleep(3_000);
  }
  check(isAsking(), "the dialog did not open at once for a user who is there");
  await sleep(15_000);
  check(wasSkipped("you are at this machine"), "a request was held beside its user");
  await session.press("Enter");
  await until(() => !existsSync(marker), 20);
  ran();
  await session.leave();
  await desktop.stop();
}

/**
 * Plans and questions of the agent, which the user answers in another terminal, on the board, in the agent's own dialog,
 * or not at all.
 */
export async function playForms(session: Session): Promise<void> {
  const desktop = await startDesktop();
  const check = checkIn(session);
  const took: Took[] = [];
  await session.open(session.agent.planning);
  const asks = async (script: "PLAN" | "ASK") => {
    await session.say(script);
    if (!(await until(() => openAsks().length > 0, 20))) session.stuck(`${script} cannot be answered`);
    await sleep(1_200); // past the second in which nothing is allowed
    return openAsks()[0] as Ask;
  };
  const ends = async (step: string, said: RegExp, heard: RegExp) => {
    await until(() => waitingHooks().length === 0, 20);
    const line = journal().findLast(({ status }) => status === "answered");
    took.push({ step, tookMs: Date.now() - Date.parse(line?.at ?? "") });
    await session.shows(said);
    check(heard.test(readFileSync(modelLog, "utf8")), `${step}: the model did not hear ${heard}`);
    if (said === thanks) await clearScreen(session, said);
    else await sleep(1_000); // a cleared session has another file for its plan
  };
  /** Checks that the agent's own dialog is there, and answers in it. */
  const leftToDialog = async (step: string, act: () => unknown) => {
    await asks("ASK");
    const beganAtMs = Date.now();
    act();
    await untilReleased(session, step, step === "nobody answers" ? 80_000 : maxOrphanMs, () => beganAtMs);
    await session.press("Enter");
    await session.shows(thanks);
    await clearScreen(session, thanks);
  };
  // The agent names a file for the plan, and adds the file's text to the tool's input.
  await session.say("PLAIN");
  await session.shows(/All done/);
  const [planFile = ""] = /\/home\/dev\/\.claude\/plans\/[\w-]+\.md/.exec(readFileSync(modelLog, "utf8")) ?? [];
  mkdirSync(dirname(planFile), { recursive: true });
  writeFileSync(planFile, shownPlan);
  const plan = await asks("PLAN");
  check(plan.lines.includes("1. Find it."), `the plan is shown as ${plan.lines.join(" / ")}`);
  await typeAnswer(process, [plan.id, "deny", "--reason", reason], "deny");
  await ends("send a plan back", /The button is renamed/, /Use the staging host/);
  await typeAnswer(process, [(await asks("PLAN")).id, "allow"], "allow");
  await ends("approve a plan", /The button is renamed/, /User has approved/);
  check(!/accept edits on/.test(session.terminal.screen()), "the plan switched to accepting edits");
  await typeAnswer(process, [(await asks("ASK")).id, "2"], "2");
  await ends("answer a question at a terminal", thanks, /=[\\"]+Blue/);
  await onBoard(async (press) => {
    await press(await asks("ASK"), 1);
    await ends("answer a question on the board", thanks, /=[\\"]+Red/);
  });
  await typeAnswer(process, [(await asks("ASK")).id], "A dark green");
  await ends("answer a question with own words", thanks, /=[\\"]+A dark green/);
  // The next worker is started by the agent, and so knows the desktop.
  await leftToDialog("the worker is killed", () => process.kill(workerPid(), "SIGKILL"));
  const { id } = await asks("ASK");
  await until(() => journal().some((line) => line.id === id && line.notifier === "desk" && line.status === "sent"), 20);
  await sleep(1_500); // past the second in which nothing is allowed
  await desktop.press("option", "/home/out/bubble-option.png");
  await ends("answer a question in a bubble", thanks, /=[\\"]+Blue/);
  await leftToDialog("the dialog is first", () => session.press("Enter"));
  await leftToDialog("the hook is killed", () => process.kill(waitingHooks()[0] ?? 0, "SIGKILL"));
  await leftToDialog("beckon is gone", () => renameSync(beckon, `${beckon}-gone`));
  rmSync(beckon, { recursive: true, force: true }); // the worker's last journal line
  renameSync(`${beckon}-gone`, beckon);
  await leftToDialog("nobody answers", () => {});
  writeFileSync("/home/out/answers.json", JSON.stringify(took, null, 1));
  for (const { step, tookMs } of took) check(tookMs < maxEndMs, `${step}: the hook ended only after ${tookMs} ms`);
  await session.leave();
  await desktop.stop();
}

async function startDesktop() {
  const desktop = await startButtonDesktop(7);
  for (const name of ["DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]) process.env[name] = desktop.env[name];
  return desktop;
}

/** Has the agent ask, and waits until the request can be answered outside the agent. */
async function asked(session: Session): Promise<Ask> {
  writeFileSync(marker, "");
  await session.say("SHELL");
  await session.shows(session.agent.asksPermission);
  if (!(await until(() => openAsks().length > 0, 20))) session.stuck("the request cannot be answered");
  await sleep(1_200); // past the second in which nothing is allowed
  const [ask] = openAsks();
  return ask as Ask;
}

/** Waits for the agent's last words, and notes a trouble if its command ran against the user's decision. */
export async function untilRan(session: Session, step: string, isAllowed: boolean): Promise<void> {
  await session.shows(/The command ran/);
  if (existsSync(marker) === isAllowed)
    session.troubles.push(`${step}: the command ${isAllowed ? "did not run" : "ran"}`);
  await clearScreen(session);
}

/** Allows the command in the agent's own dialog. */
export async function allowInDialog(session: Session, step: string): Promise<void> {
  await session.press(...(session.agent.allow ?? ["Enter"]));
  await untilRan(session, step, true);
}

/** Waits until no hook waits. Returns the time since then, milliseconds, and notes a trouble if it is too long. */
export async function untilReleased({ troubles }: Session, step: string, maxMs: number, since: () => number) {
  await until(() => waitingHooks().length === 0, 60);
  const tookMs = Date.now() - since();
  if (!(tookMs < maxMs)) troubles.push(`${step}: the hook ended only after ${tookMs} ms`);
  return tookMs;
}

const thanks = /Thanks for the answer/;

/** Removes the last answer from the screen. */
async function clearScreen(session: Session, said = /The command ran/): Promise<void> {
  await sleep(1_000);
  session.terminal.press("C-l");
  await session.terminal.enter("/clear");
  await until(() => !said.test(session.terminal.screen()), 10);
  await sleep(1_000);
}

/** Runs the command line in a session of its own, as in another terminal. */
function beckonCommand(...args: readonly string[]): string {
  return execFileSync("setsid", ["--wait", process.execPath, cli, ...args], { cwd: project, encoding: "utf8" });
}

/** Requests that can be answered now. */
export function openAsks(): readonly Ask[] {
  return readOpenAsks({ asks: join(beckon, "asks") });
}

/** Lines of the journal. */
export function journal(): readonly JournalLine[] {
  return readJournal(join(beckon, "journal"), 2);
}

const wasSkipped = (why: string): boolean => journal().some(({ reason }) => reason === why);

/** Process number of the worker. */
export function workerPid(): number {
  return Number.parseInt(readFileSync(join(beckon, "spool", "worker.lock"), "utf8"), 10);
}

/** Lists the process numbers of hooks that wait for an answer. */
export function waitingHooks(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      if (!(pid > 1)) return false;
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").match(/\/wait\.sh\0|\0--form\0/) !== null;
      } catch {
        return false; // it has ended
      }
    });
}

type Press = (ask: Ask, choice: "allow" | "deny" | number) => Promise<unknown>;

/** Opens the board and presses its buttons as its page does. */
async function onBoard(act: (press: Press) => Promise<void>): Promise<void> {
  const board = await startBoard({ env: process.env });
  await act(board.press);
  board.stop();
}
