import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ask } from "../../src/answers/ask-files.ts";
import { findProcess } from "../../src/files/process-table.ts";
import { clearScreen, journal, marker, openAsks, typeAnswer, waitingHooks, workerPid } from "./answers-scenario.ts";
import { modelLog, type Session } from "./session.ts";
import { until } from "./terminal.ts";

const reason = "Use the staging host.";
/** Longest times, in milliseconds: from a reaction to the hook's end, and from the worker's end to the hook's. */
const maxEndMs = 1_000;
const maxOrphanMs = 6_000;

/**
 * The user types nothing for ten seconds, and then the agent asks: its dialog stays closed while the hook waits. The user
 * allows and refuses at another terminal. Every fault becomes a trouble of the session.
 */
export async function playAway(session: Session): Promise<void> {
  const took: Record<string, number> = {};
  const answer = async (step: string, isAllowed: boolean, ...args: readonly string[]) => {
    const ask = await asked(session);
    if (isDialogOpen(session)) session.troubles.push(`${step}: the dialog is open beside the hook`);
    if (ask) await typeAnswer(ask, args, args[0] ?? "");
    await until(() => waitingHooks().length === 0, 20);
    const line = journal().findLast(({ status }) => status === "answered");
    took[step] = Date.now() - Date.parse(line?.at ?? "");
    if (!(took[step] < maxEndMs)) session.troubles.push(`${step}: the hook ended only after ${took[step]} ms`);
    await session.shows(/The command ran/);
    if (existsSync(marker) === isAllowed)
      session.troubles.push(`${step}: the command ${isAllowed ? "did not run" : "ran"}`);
    await clearScreen(session);
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
    if (ask) await typeAnswer(ask, ["allow"], "allow");
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
    await until(() => waitingHooks().length === 0, 60);
    took[step] = Date.now() - beganAtMs;
    if (!(took[step] < maxMs)) session.troubles.push(`${step}: the hook ended only after ${took[step]} ms`);
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

function isDialogOpen({ agent, terminal }: Session): boolean {
  return agent.asksPermission.test(terminal.screen());
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

/** Allows the command in the agent's own dialog. */
async function allowInDialog(session: Session, step: string): Promise<void> {
  await session.press(...(session.agent.allow ?? ["Enter"]));
  await session.shows(/The command ran/);
  if (existsSync(marker)) session.troubles.push(`${step}: the command did not run`);
  await clearScreen(session);
}
