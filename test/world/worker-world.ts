import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type Paths, pathsOf, spoolFolders } from "../../src/core/paths.ts";
import type { Ports } from "../../src/core/ports.ts";
import type { Presence } from "../../src/core/presence-port.ts";
import { createHttp } from "../../src/io/http.ts";
import { createPorts } from "../../src/io/ports.ts";
import type { JournalLine } from "../../src/pipeline/journal-line.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import type { WorkerOptions } from "../../src/worker/worker-loop.ts";
import { FakeClock } from "./fake-clock.ts";
import { readAllJournal } from "./home.ts";

/**
 * What a worker in the test's own process works with: a real spool, and real ports but for the clock, which stands
 * still until the test lets time pass, and the question where the person is, which the test answers. An event's run
 * stands still at that question.
 */
export interface WorkerWorld {
  readonly paths: Paths;
  readonly ports: Ports;
  readonly clock: FakeClock;
  /** Current time by the clock, Unix milliseconds. A later time is set without firing the timers on the way. */
  nowMs: number;
  /** Called whenever the time is asked for: a worker does so at each of its looks. */
  onLook: () => void;
  writeConfig(config: object): void;
  /** How long a worker lingers; an hour by default. */
  linger(duration: string): void;
  /**
   * Stores a Stop of a session of its own in `new/`, as `<session>.json`, or as left behind by so many dead workers.
   */
  store(session: string, crashes?: number): void;
  /** Stores an event of Claude Code's, or of another agent's, as a hook does. */
  fire(payload: object, agent?: string): void;
  /** Starts a worker; resolves as `runWorker` does. */
  start(options?: WorkerOptions, ports?: Partial<Ports>): Promise<boolean>;
  /** Tells the workers to stop, and waits until they have. */
  stop(): Promise<void>;
  /** Lets time pass until the journal, or what else is looked at, is as wanted; fails with what there is. */
  until(isSo: (journal: JournalLine[]) => boolean): Promise<JournalLine[]>;
  /** Where set, the answer to every question from now on. */
  answerToAll: Presence | undefined;
  /** Sessions whose event has come to the question, in that order. */
  readonly asked: readonly string[];
  /** Lets a session's event go on. By default it is delivered; where `watching`, it waits for an hour. */
  answer(session: string, presence?: Presence): void;
  /** Lets a session's event end with an error that nobody foresaw. */
  fail(session: string): void;
  /** Waits until exactly these sessions' events have come to the question. */
  untilAsked(...sessions: string[]): Promise<void>;
  /** Has a worker that sleeps look at once. */
  wake(): void;
  /** Moves the time on at once, and fires what is overdue. */
  pass(ms: number): Promise<void>;
  /** Waits for two whole looks of the worker, which sleeps before none of them. */
  looks(): Promise<void>;
  /** Files in the spool, as `folder/file`. */
  spooled(): string[];
  journal(): JournalLine[];
  /** Stops the workers and removes the folder. */
  remove(): Promise<void>;
}

/** How far the clock goes between two looks of `until`: real requests and programs need a few of them. */
const stepMs = 20;

/** The person looks at the agent's terminal: what is finished then waits, as the configuration here says. */
export const watching: Presence = { isFocused: true };

export function createWorkerWorld(): WorkerWorld {
  const paths = pathsOf(mkdtempSync(join(tmpdir(), "beckon-worker-")));
  makeSpool(paths.spool);
  const person = createPerson(() => world.answerToAll);
  const { presence, ...others } = createPorts();
  const clock = new FakeClock(Math.floor(Date.now() / 1000) * 1000 + 60_000); // after what the spool's files say
  let stopping = new AbortController();
  const workers: Promise<boolean>[] = [];
  let timesAsked = 0;
  let events = 0;
  const now = () => {
    timesAsked += 1;
    world.onLook();
    return clock.now();
  };
  const { uptimeMs, wait, after, every } = clock;
  const http = createHttp(now);
  const ports = {
    ...others,
    http,
    clock: { now, uptimeMs, wait, after, every },
    presence: { ...presence, ask: person.ask },
  };
  const world: WorkerWorld = {
    paths,
    ports,
    clock,
    get nowMs() {
      return clock.now();
    },
    set nowMs(ms) {
      clock.skip(ms - clock.now());
    },
    onLook: () => {},
    writeConfig: (config) => writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 }),
    linger: (duration) => world.writeConfig(configOf(paths, duration)),
    store(session, crashes = 0) {
      const payload = JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
      const header = { v: 1, event: "Stop", agent: "claude", processes: [person.processOf(session)] } as const;
      put(paths.spool, crashes > 0 ? `${session}.c${crashes}` : session, encodeRecord(header, Buffer.from(payload)));
    },
    fire(payload, agent = "claude") {
      events += 1;
      const id = `e${String(events).padStart(4, "0")}`;
      const { hook_event_name: event } = payload as { readonly hook_event_name: string };
      put(paths.spool, id, encodeRecord({ v: 1, event, agent }, Buffer.from(JSON.stringify(payload))));
      utimesSync(join(paths.spool, "new", `${id}.json`), clock.now() / 1000, clock.now() / 1000);
    },
    start(options = {}, own = {}) {
      const worker = runWorker(paths, { ...ports, ...own }, { signal: stopping.signal, ...options });
      workers.push(worker);
      return worker;
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled(workers);
      stopping = new AbortController();
    },
    async until(isSo) {
      for (const deadlineMs = performance.now() + 20_000; ; await sleep(2)) {
        const journal = world.journal();
        if (isSo(journal)) return journal;
        if (performance.now() > deadlineMs)
          throw new Error(`spool: ${world.spooled().join(" ")}; journal: ${JSON.stringify(journal, undefined, 1)}`);
        await clock.advance(stepMs);
      }
    },
    answerToAll: undefined,
    asked: person.asked,
    answer: (session, presence = {}) => person.questionOf(session).resolve(presence),
    fail: (session) => person.questionOf(session).reject(new Error("a bug")),
    untilAsked: (...wanted) => expect.poll(() => world.asked).toEqual(wanted),
    async pass(ms) {
      clock.skip(ms);
      await clock.advance(0);
    },
    wake: () => utimesSync(join(paths.spool, "new"), 1, 1), // which it watches
    async looks() {
      const enough = timesAsked + 20; // a worker asks for the time a few times at each look
      while (timesAsked < enough) {
        world.wake();
        await sleep(5);
      }
    },
    spooled: () => spoolFolders.flatMap((folder) => filesIn(paths.spool, folder)),
    journal: () => readAllJournal(paths.journal),
    async remove() {
      world.answerToAll = {};
      person.goOn();
      await world.stop();
      rmSync(paths.root, { recursive: true, force: true });
    },
  };
  world.linger("1h");
  return world;
}

/** One person's notifier, which tells at once, or in an hour where the person looks at the terminal. */
function configOf({ root }: Paths, linger: string): object {
  const notifiers = { mine: { type: "file", path: join(root, "messages.txt"), for: "person" } };
  const attention = { wait: "0s", watching: { finished: "1h" } };
  return { notifiers, lookups: [], attention, delivery: { linger } };
}

interface Question {
  readonly resolve: (presence: Presence) => void;
  readonly reject: (error: Error) => void;
}

/** What answers where the person is. Sessions are told apart by the process number in the record. */
function createPerson(answerToAll: () => Presence | undefined) {
  const sessions: string[] = [];
  const asked: string[] = [];
  const questions = new Map<string, Question>();
  return {
    asked: asked as readonly string[],
    processOf: (session: string) => firstProcess + sessions.push(session) - 1,
    questionOf(session: string) {
      const question = questions.get(session);
      if (!question) throw new Error(`${session} has not come to its question`);
      return question;
    },
    /** Answers all questions that are open. */
    goOn: () => questions.forEach(({ resolve }) => void resolve({})),
    ask: ([process = 0]: readonly number[]) =>
      new Promise<Presence>((resolve, reject) => {
        const session = sessions[process - firstProcess] ?? "";
        asked.push(session);
        questions.set(session, { resolve, reject });
        const answer = answerToAll();
        if (answer) resolve(answer);
      }),
  };
}

/** No process has such a number: the greatest on Linux is 4194304. */
const firstProcess = 5_000_000;

function filesIn(spool: string, folder: string): string[] {
  return readdirSync(join(spool, folder))
    .sort()
    .map((file) => `${folder}/${file}`);
}
