import { mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import type { Ports, Presence } from "../../src/core/ports.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import { createHttp } from "../../src/io/http.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import type { WorkerOptions } from "../../src/worker/worker-loop.ts";
import { FakeClock } from "./fake-clock.ts";
import { listSpool, readAllJournal } from "./home.ts";
import { localPorts } from "./local-ports.ts";

/** Presence of a user who looks at the agent's terminal: finished turns then wait, as configured here. */
export const watching: Presence = { isFocused: true };

/**
 * Step of the clock between two checks of `until`. It is short at first, as file reads, requests and programs have
 * clock budgets, which a busy machine must not use up.
 */
const stepMs = { first: 4, later: 20 };
const firstMs = 500;
/** First process number that is used for a session. No process has such a number: the greatest on Linux is 4194304. */
const firstProcess = 5_000_000;

interface Question {
  readonly resolve: (presence: Presence) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A worker's environment in the test's own process: a real spool and real ports, except the clock, which the test
 * advances, and the question about the user's presence, which the test answers. The processing of an event stops at
 * that question. It ends with the requesting test, or the test of its `beforeEach`.
 */
export class WorkerWorld {
  readonly paths = resolvePaths(mkdtempSync(join(tmpdir(), "beckon-worker-")));
  readonly clock = new FakeClock(Math.floor(Date.now() / 1000) * 1000 + 60_000); // later than the spool's files
  readonly ports: Ports;
  /** Called whenever the time is read, as a worker does at each scan. */
  onLook = (): void => {};
  /** Answer to every further question, if it is set. */
  answerToAll: Presence | undefined;
  /** Sessions whose event has reached the question, in that order. */
  readonly asked: string[] = [];
  #timesAsked = 0;
  #events = 0;
  /** Sessions by process number, from `firstProcess` on. The process numbers identify the sessions at the question. */
  readonly #sessions: string[] = [];
  readonly #questions = new Map<string, Question>();
  readonly #workers: Promise<boolean>[] = [];
  #stopping = new AbortController();

  constructor() {
    makeSpool(this.paths.spool);
    const now = () => {
      this.#timesAsked += 1;
      this.onLook();
      return this.clock.now();
    };
    const { uptimeMs, wait, after, every } = this.clock;
    const { presence, ...others } = localPorts();
    const ask = ([process]: readonly number[]) => this.#ask(process);
    const clock = { now, uptimeMs, wait, after, every };
    this.ports = { ...others, http: createHttp(now), clock, presence: { ...presence, ask } };
    this.linger("1h");
    onTestFinished(() => this.remove());
  }

  /** Current time by the clock, Unix milliseconds. A later time is set without firing the timers on the way. */
  get nowMs(): number {
    return this.clock.now();
  }
  set nowMs(ms) {
    this.clock.skip(ms - this.nowMs);
  }

  writeConfig(config: object): void {
    writeFileSync(this.paths.config, JSON.stringify(config), { mode: 0o600 });
  }

  /**
   * Writes a configuration with the worker's linger time and one notifier, which sends at once, or in an hour if the
   * user looks at the terminal.
   */
  linger(duration: string): void {
    const notifiers = { mine: { type: "file", path: join(this.paths.root, "messages.txt"), for: "person" } };
    const attention = { wait: "0s", watching: { finished: "1h" } };
    this.writeConfig({ notifiers, lookups: [], attention, delivery: { linger: duration } });
  }

  /** Stores a Stop of a separate session in `new/`, as `<session>.json`, or as a number of dead workers left it. */
  store(session: string, crashes = 0): void {
    const payload = JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
    const processes = [firstProcess + this.#sessions.push(session) - 1];
    const record = encodeRecord({ v: 1, event: "Stop", agent: "claude", processes }, Buffer.from(payload));
    put(this.paths.spool, crashes > 0 ? `${session}.c${crashes}` : session, record);
  }

  /** Stores an event of Claude Code or another agent, as a hook does. */
  fire(payload: object, agent = "claude"): void {
    this.#events += 1;
    const id = `e${String(this.#events).padStart(4, "0")}`;
    const { hook_event_name: event } = payload as { readonly hook_event_name: string };
    put(this.paths.spool, id, encodeRecord({ v: 1, event, agent }, Buffer.from(JSON.stringify(payload))));
    utimesSync(join(this.paths.spool, "new", `${id}.json`), this.nowMs / 1000, this.nowMs / 1000);
  }

  /** Starts a worker; resolves as `runWorker` does. */
  start(options: WorkerOptions = {}, own: Partial<Ports> = {}): Promise<boolean> {
    const worker = runWorker(this.paths, { ...this.ports, ...own }, { signal: this.#stopping.signal, ...options });
    this.#workers.push(worker);
    return worker;
  }

  /** Stops the workers, and waits until they have exited. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#workers);
    this.#stopping = new AbortController();
  }

  /** Advances the clock until the journal, or another state, matches; fails with the current state. */
  async until(isSo: (journal: JournalLine[]) => boolean): Promise<JournalLine[]> {
    for (const sinceMs = performance.now(); ; await sleep(2)) {
      const journal = this.journal();
      if (isSo(journal)) return journal;
      const tookMs = performance.now() - sinceMs;
      if (tookMs > 20_000)
        throw new Error(`spool: ${this.spooled().join(" ")}; journal: ${JSON.stringify(journal, undefined, 1)}`);
      await this.clock.advance(tookMs < firstMs ? stepMs.first : stepMs.later);
    }
  }

  /** Waits, without advancing the clock, until exactly these sessions' events have reached the question. */
  async untilAsked(...sessions: string[]): Promise<void> {
    await expect.poll(() => this.asked).toEqual(sessions);
  }

  /** Lets a session's event go on. By default it is delivered; if `watching`, it waits for an hour. */
  answer(session: string, presence: Presence = {}): void {
    this.#takeQuestion(session).resolve(presence);
  }

  /** Ends a session's event with an unexpected error. */
  fail(session: string): void {
    this.#takeQuestion(session).reject(new Error("a bug"));
  }

  /** Jumps ahead, and fires overdue timers. */
  async pass(ms: number): Promise<void> {
    this.clock.skip(ms);
    await this.clock.advance(0);
  }

  /** Has a sleeping worker scan at once. */
  wake(): void {
    utimesSync(join(this.paths.spool, "new"), 1, 1); // which it watches
  }

  /** Waits until the worker has scanned twice in full. The worker sleeps before neither scan. */
  async looks(): Promise<void> {
    const enough = this.#timesAsked + 20; // a worker reads the time a few times at each scan
    while (this.#timesAsked < enough) {
      this.wake();
      await sleep(5);
    }
  }

  /** Lists the files in the spool, as `folder/file`. */
  spooled(): string[] {
    return listSpool(this.paths.spool);
  }

  journal(): JournalLine[] {
    return readAllJournal(this.paths.journal);
  }

  /** Stops the workers and removes the folder, in which a dispatcher without a worker may still write a moment. */
  async remove(): Promise<void> {
    this.answerToAll = {};
    for (const { resolve } of this.#questions.values()) resolve({});
    await this.stop();
    await rm(this.paths.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
  }

  #ask(process = 0): Promise<Presence> {
    const session = this.#sessions[process - firstProcess] ?? "";
    this.asked.push(session);
    return new Promise((resolve, reject) => {
      this.#questions.set(session, { resolve, reject });
      if (this.answerToAll) resolve(this.answerToAll);
    });
  }

  #takeQuestion(session: string): Question {
    const question = this.#questions.get(session);
    if (!question) throw new Error(`${session} has not come to its question`);
    return question;
  }
}
