import {
  type AnswerResult,
  type Ask,
  hashShown,
  readOpenAsks,
  sendRequest,
  switchOff,
  switchOn,
} from "../answers/ask-files.ts";
import { explainUntrusted, listAgents } from "../answers/requester.ts";
import { readSessions } from "../attention/sessions.ts";
import { CommandError } from "../core/errors.ts";
import type { Answer } from "../core/permission-reply.ts";
import type { ClockPort } from "../core/ports.ts";
import { makePrivateFolder } from "../files/atomic-file.ts";
import { readLockLine } from "../files/lock-line.ts";
import type { Paths } from "../files/paths.ts";
import { findProcess } from "../files/process-table.ts";

/** Lists the permission requests that wait for an answer, oldest first. Those of a killed worker no longer wait. */
export function listOpenAsks(paths: Paths): readonly Ask[] {
  const worker = findProcess(readLockLine(paths.lock)?.pid ?? 0)?.pid;
  return worker === undefined ? [] : readOpenAsks(paths).filter((ask) => ask.worker === worker);
}

/** Lists the open permission requests for the board, each with the hash of what the board's page shows. */
export function listShownAsks(paths: Paths): readonly Ask[] {
  return listOpenAsks(paths).map((ask) => ({ ...ask, hash: hashShown(ask) }));
}

/** Finds an open permission request as the board's page shows it; undefined if it has been answered or changed. */
export function findShownAsk(id: string, hash: string, paths: Paths): Ask | undefined {
  return listOpenAsks(paths).find((ask) => ask.id === id && hashShown(ask) === hash);
}

/** Asks the worker to answer a permission request. @throws {CommandError} if an agent runs this process */
export async function giveAnswer(ask: Ask, answer: Answer, paths: Paths, clock: ClockPort): Promise<AnswerResult> {
  requireUser(paths, clock.now());
  return sendRequest(ask, answer, paths, clock);
}

/** Checks that the user, not an agent, runs this process. @throws {CommandError} if an agent runs it */
export function requireUser(paths: Paths, nowMs: number): void {
  const problem = explainUntrusted(process.pid, listAgents(readSessions(paths, nowMs)));
  if (problem === undefined) return;
  throw new CommandError(
    `only you can do this, not this program: ${problem}`,
    "Run it in another terminal of your own.",
  );
}

/**
 * Switches answers off for all agents, or on again. @throws {CommandError} if the switch cannot be written, or if an
 * agent tries to switch answers on
 */
export function switchAnswers(to: "on" | "off", paths: Paths, nowMs: number): void {
  if (to === "on") {
    requireUser(paths, nowMs);
    switchOn(paths);
    return;
  }
  makePrivateFolder(paths.asks);
  const off = { reason: "you switched them off", at: new Date(nowMs).toISOString() };
  if (!switchOff(paths, off)) throw new CommandError(`cannot write ${paths.asks}`, "For the reason: beckon doctor");
}
