import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { type AnswerChoice, resemblesReply } from "../core/permission-reply.ts";
import { quietly } from "../core/quietly.ts";
import type { Paths } from "../files/paths.ts";
import { findProcess } from "../files/process-table.ts";
import { listQuietly } from "../files/read-file.ts";
import type { RunContext } from "../pipeline/context.ts";
import {
  type AnswerOutcome,
  type AnswerRequest,
  type AskFile,
  hashShown,
  offFile,
  parseRequest,
  readAskFile,
  removeAskFile,
  requestEnding,
  writeOutcome,
} from "./ask-files.ts";
import { describeOpen, type HeldAsk, isHookWaiting } from "./open-asks.ts";
import { type AgentProcess, explainUntrusted, hasOpen, hasTerminal } from "./requester.ts";

/** User's answer to a permission request. */
export interface UserAnswer {
  readonly choice: AnswerChoice;
  /** Origin of the answer: a notifier's name, `terminal` or `board`. */
  readonly via: string;
  readonly reason?: string | undefined;
  /** Name and id of the user, if a receiver identified the user; default: this machine's user. */
  readonly by?: string | undefined;
}

/** Answer that was written for a hook, until the hook has taken it. */
export interface GivenAnswer {
  readonly ask: HeldAsk;
  readonly text: string;
  /** Process uptime when the answer was given, milliseconds. */
  readonly givenAtMs: number;
}

/** Keeper of the open requests, and of the answers that their hooks have not taken yet. */
export interface AskFolderHost {
  readonly paths: Pick<Paths, "asks">;
  readonly open: ReadonlyMap<string, HeldAsk>;
  readonly given: Map<string, GivenAnswer>;
  /** Names of the answer files that hooks have taken and this worker has checked. */
  readonly seen: Set<string>;
  /** True if this worker has opened or ended the request. */
  knows(id: string): boolean;
  answer(ask: HeldAsk, answer: UserAnswer, shownAtMs: number): AnswerOutcome;
  end(ask: HeldAsk, reason: string): void;
  reportForeign(id: string, context: RunContext): void;
}

/** Age at which an unneeded file is removed: ten seconds. A hook takes and reads its answer within a second. */
const leftoverMs = 10_000;
const takenEnding = ".taken";

/**
 * Reads the `asks` folder: answers from commands, answers that hooks have taken, and answers that beckon did not give.
 */
export function scanAskFiles(keeper: AskFolderHost, context: RunContext): void {
  for (const name of listQuietly(keeper.paths.asks)) {
    if (name === offFile) continue;
    const file = readAskFile(keeper.paths, name);
    if (!file) continue;
    if (name.endsWith(requestEnding)) handleRequest(file, keeper, context);
    else if (name.endsWith(takenEnding)) noteTaken(file, name.slice(0, -takenEnding.length), keeper, context);
    else if (!noteAnswer(file, keeper, context)) removeLeftover(file, keeper, context);
  }
}

/**
 * Finds the open requests whose answer somebody wrote and removed again, even after the hook had taken it.
 * @param names files that have changed
 */
export function findRemoved(names: readonly string[], { open, paths }: AskFolderHost): readonly string[] {
  const ids = new Set(names.map((name) => name.replace(/\.taken$/, "")));
  const isGone = (name: string) => readAskFile(paths, name) === undefined;
  return [...ids].filter((id) => open.has(id) && isGone(id) && isGone(id + takenEnding));
}

/**
 * Checks a file that a hook has taken. Removes beckon's own answer once the hook has ended, and reports an answer that
 * beckon did not give.
 */
function noteTaken(file: AskFile, id: string, keeper: AskFolderHost, context: RunContext): void {
  const given = keeper.given.get(id);
  if (given?.text === file.text && given) {
    if (isHookWaiting(given.ask)) return;
    keeper.given.delete(id);
    removeAskFile(keeper.paths, file.name);
  } else if (!keeper.seen.has(file.name)) {
    keeper.seen.add(file.name);
    const isOwn = !given && !keeper.knows(id) && isReplyOfEarlierWorker(id, file, context);
    if (file.text !== undefined && resemblesReply(file.text) && !isOwn) keeper.reportForeign(id, context);
    else endMalformed(id, keeper);
  } else removeLeftover(file, keeper, context);
}

/**
 * Checks a file that has the name of an answer. @returns false if the name belongs to no open request and no given
 * answer
 */
function noteAnswer(file: AskFile, keeper: AskFolderHost, context: RunContext): boolean {
  const id = file.name;
  const given = keeper.given.get(id);
  if (given && given.text === file.text) return true;
  if (!given && !keeper.open.has(id)) return false;
  if (file.text !== undefined && resemblesReply(file.text)) keeper.reportForeign(id, context);
  else endMalformed(id, keeper);
  return true;
}

function endMalformed(id: string, keeper: AskFolderHost): void {
  const ask = keeper.open.get(id);
  if (ask) keeper.end(ask, "another program ended it");
}

/** True if the journal shows that an earlier worker gave the same answer. */
function isReplyOfEarlierWorker(id: string, { text }: AskFile, { journal }: RunContext): boolean {
  const answers = journal.readLines(id).filter(({ status }) => status === "answered");
  return answers.some(({ choice }) => text?.includes(`"behavior":"${choice}"`));
}

function removeLeftover({ name, modifiedAtMs }: AskFile, keeper: AskFolderHost, { ports }: RunContext): void {
  const isOpen = name.endsWith(".json") && keeper.open.has(name.slice(0, -".json".length));
  const isDead = name.endsWith(".json") && !isOpen;
  if (isDead || (!isOpen && Math.abs(ports.clock.now() - modifiedAtMs) > leftoverMs)) removeAskFile(keeper.paths, name);
}

/** Answers a permission request on behalf of a command, if the user and not an agent runs the command. */
function handleRequest(file: AskFile, keeper: AskFolderHost, context: RunContext): void {
  if (file.text === "") return; // being written
  const request = parseRequest(file);
  const outcome = request
    ? answerRequest(request, file, keeper, context)
    : { isDone: false, text: "The request could not be read." };
  writeOutcome(keeper.paths, file.name, outcome);
  removeAskFile(keeper.paths, file.name);
}

function answerRequest(
  { pid, ask: id, hash, choice, reason, via }: AnswerRequest,
  file: AskFile,
  keeper: AskFolderHost,
  context: RunContext,
): AnswerOutcome {
  const ask = keeper.open.get(id);
  if (!ask) {
    context.journal.write({ id, status: "late", choice, via });
    return { isDone: false, text: "Already answered, or no longer open." };
  }
  const refuse = (why: string): AnswerOutcome => {
    context.journal.write({ id, status: "refused", choice, via, reason: why });
    return { isDone: false, text: `Not answered: ${why}.` };
  };
  if (!hasOpen(pid, join(keeper.paths.asks, file.name))) return refuse("another process wrote the request");
  const untrusted = explainUntrusted(pid, listAgents(keeper, context));
  if (untrusted !== undefined) return refuse(untrusted);
  if (via === "terminal" && !hasTerminal(pid)) return refuse("it has no terminal");
  if (hash !== hashShown(describeOpen(ask))) return refuse("what was shown is not this request");
  return keeper.answer(ask, { choice, via, reason }, ask.openedAtMs);
}

/** Lists the known processes of agents: those with an open request, and those of all sessions. */
function listAgents(keeper: AskFolderHost, { alerts }: RunContext): AgentProcess[] {
  const asking = [...keeper.open.values()].map(({ event }) => event.processes?.at(-1));
  const known = alerts
    .all()
    .map(({ processes, agentStartTicks }) => ({ pid: processes?.at(-1), startTicks: agentStartTicks }));
  const found = [...asking.map((pid) => ({ pid, startTicks: findProcess(pid ?? 0)?.startTicks })), ...known];
  return found.flatMap(({ pid, startTicks }) => (pid === undefined ? [] : [{ pid, startTicks }]));
}

/** Follows the folder of asks. Keeps the names of changed files, even if another program has removed them since. */
export class AskFolderWatch {
  readonly #folder: string;
  readonly #wake: () => void;
  readonly #names = new Set<string>();
  #watcher: FSWatcher | undefined;

  /** @param wake called after each change */
  constructor({ asks }: Pick<Paths, "asks">, wake: () => void) {
    this.#folder = asks;
    this.#wake = wake;
  }

  /** Starts to follow the folder, unless it is followed already or cannot be. */
  follow(): void {
    this.#watcher ??= quietly(() =>
      watch(this.#folder, { persistent: false }, (_, name) => this.#note(name)).on("error", () => this.close()),
    );
  }

  /** Returns the names of the files that have changed since the last call. */
  takeNames(): readonly string[] {
    const names = [...this.#names];
    this.#names.clear();
    return names;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #note(name: string | null): void {
    if (name !== null) this.#names.add(name);
    this.#wake();
  }
}
