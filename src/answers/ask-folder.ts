import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { quietly } from "../core/quietly.ts";
import { findProcess } from "../files/process-table.ts";
import { listQuietly } from "../files/read-file.ts";
import {
  type AnswerResult,
  type AskFile,
  hashShown,
  offFile,
  parseRequest,
  readAskFile,
  removeAskFile,
  requestEnding,
  writeResult,
} from "./ask-files.ts";
import type { HeldAsks } from "./held-asks.ts";
import {
  type AgentProcess,
  explainUntrusted,
  hasOpen,
  hasTerminal,
  isListening,
  isRunning,
  listAgents,
} from "./requester.ts";

/** Age at which an unneeded file is removed: ten seconds. A hook takes and reads its answer within a second. */
const leftoverMs = 10_000;
const takenEnding = ".taken";

/**
 * Reads the `asks` folder: answers from commands, answers that hooks have taken, and answers that beckon did not give.
 */
export class AskFolder {
  readonly #asks: HeldAsks;
  readonly #wake: () => void;
  /** Names of files that have changed. They are kept even if another program has removed the files since. */
  readonly #changed = new Set<string>();
  /** Names of the answer files that hooks have taken and this worker has checked. */
  readonly #checked = new Set<string>();
  #watcher: FSWatcher | undefined;

  /** @param wake called after each change in the folder */
  constructor(asks: HeldAsks, wake: () => void) {
    this.#asks = asks;
    this.#wake = wake;
  }

  /** Starts to follow the folder, unless it is followed already or cannot be. */
  follow(): void {
    this.#watcher ??= quietly(() =>
      watch(this.#asks.paths.asks, { persistent: false }, (_, name) => {
        if (name !== null) this.#changed.add(name);
        this.#wake();
      }).on("error", () => this.close()),
    );
  }

  /** Stops following the folder. */
  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Acts on all files in the folder, and on answers that somebody wrote and removed again. */
  read(): void {
    for (const name of listQuietly(this.#asks.paths.asks)) {
      const file = name === offFile ? undefined : readAskFile(this.#asks.paths, name);
      if (!file) continue;
      if (name.endsWith(requestEnding)) this.#handleRequest(file);
      else if (name.endsWith(takenEnding)) this.#checkTaken(file, name.slice(0, -takenEnding.length));
      else if (!this.#asks.checkAnswer(file)) this.#removeLeftover(file);
    }
    for (const id of this.#takeRemoved()) this.#asks.reportForeign(id);
  }

  /** Finds the open requests whose answer somebody wrote and removed again, even after the hook had taken it. */
  #takeRemoved(): readonly string[] {
    const ids = new Set([...this.#changed].map((name) => name.replace(/\.taken$/, "")));
    this.#changed.clear();
    const isGone = (name: string) => readAskFile(this.#asks.paths, name) === undefined;
    return [...ids].filter((id) => this.#asks.findOpen(id) && isGone(id) && isGone(id + takenEnding));
  }

  /**
   * Checks a file that a hook has taken. Removes beckon's own answer once the hook has ended, and reports an answer that
   * beckon did not give.
   */
  #checkTaken(file: AskFile, id: string): void {
    const ask = this.#asks.findAnswered(id);
    if (ask?.given && ask.given.text === file.text) {
      if (isRunning(ask.hook)) return;
      this.#asks.noteTaken(ask);
      removeAskFile(this.#asks.paths, file.name);
    } else if (!this.#checked.has(file.name)) {
      this.#checked.add(file.name);
      if (this.#asks.knows(id) || !this.#isReplyOfEarlierWorker(id, file)) this.#asks.noteForeign(id, file.text);
    } else this.#removeLeftover(file);
  }

  /** True if the journal shows that an earlier worker gave the same answer. */
  #isReplyOfEarlierWorker(id: string, { text }: AskFile): boolean {
    const answers = this.#asks.context.journal.readLines(id).filter(({ status }) => status === "answered");
    return answers.some(({ choice }) => text?.includes(`"behavior":"${choice}"`));
  }

  #removeLeftover({ name, modifiedAtMs }: AskFile): void {
    const isDescription = name.endsWith(".json");
    if (isDescription && this.#asks.findOpen(name.slice(0, -".json".length))) return;
    const ageMs = Math.abs(this.#asks.context.ports.clock.now() - modifiedAtMs);
    if (isDescription || ageMs > leftoverMs) removeAskFile(this.#asks.paths, name);
  }

  /** Answers a permission request on behalf of a command, if the user and not an agent runs the command. */
  #handleRequest(file: AskFile): void {
    if (file.text === "") return; // being written
    writeResult(this.#asks.paths, file.name, this.#answer(file));
    removeAskFile(this.#asks.paths, file.name);
  }

  #answer(file: AskFile): AnswerResult {
    const request = parseRequest(file);
    if (!request) return { isDone: false, text: "The request could not be read." };
    const { pid, ask: id, hash, ...answer } = request;
    const { choice, via } = answer;
    const ask = this.#asks.findOpen(id);
    if (!ask) {
      this.#asks.context.journal.write({ id, status: "late", choice, via });
      return { isDone: false, text: "Already answered, or no longer open." };
    }
    const refuse = (why: string) => this.#asks.refuse({ id }, { choice, via }, why);
    if (!hasOpen(pid, join(this.#asks.paths.asks, file.name))) return refuse("another process wrote the request");
    const untrusted = explainUntrusted(pid, this.#listAgents(), ask.event.atMs);
    if (untrusted !== undefined) return refuse(untrusted);
    if (via === "terminal" && !hasTerminal(pid)) return refuse("it has no terminal");
    if (via === "board" && !isListening(pid)) return refuse("it serves no board");
    if (hash !== hashShown(ask)) return refuse("what was shown is not this request");
    return this.#asks.answer(ask, answer, ask.openedAtMs);
  }

  /** Lists the known processes of agents: those with an open request, and those of all sessions. */
  #listAgents(): AgentProcess[] {
    const asking = this.#asks.open.map(({ event: { agent, processes } }) => {
      return { agent, processes, agentStartTicks: findProcess(processes?.at(-1) ?? 0)?.startTicks };
    });
    return listAgents([...asking, ...this.#asks.context.alerts.all()]);
  }
}
