import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type Paths, pathsOf, spoolFolders } from "../../src/core/paths.ts";
import type { Ports } from "../../src/core/ports.ts";
import type { Presence } from "../../src/core/presence-port.ts";
import { createPorts } from "../../src/io/ports.ts";
import type { JournalLine } from "../../src/pipeline/journal-line.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { readAllJournal } from "./home.ts";

/**
 * What a worker in the test's own process works with: a real spool, and real ports but for the clock, which the test
 * sets, and the question where the person is, which the test answers. An event's run stands still at that question.
 */
export interface WorkerWorld {
  readonly paths: Paths;
  readonly ports: Ports;
  /** What the clock says, Unix milliseconds. */
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
  /** Waits for two whole looks of the worker, which sleeps before none of them. */
  looks(): Promise<void>;
  /** Files in the spool, as `folder/file`. */
  spooled(): string[];
  journal(): JournalLine[];
  remove(): void;
}

/** The person looks at the agent's terminal: what is finished then waits, as the configuration here says. */
export const watching: Presence = { isFocused: true };

export function createWorkerWorld(): WorkerWorld {
  const paths = pathsOf(mkdtempSync(join(tmpdir(), "beckon-worker-")));
  makeSpool(paths.spool);
  const person = createPerson(() => world.answerToAll);
  const { clock, presence, ...ports } = createPorts();
  let timesAsked = 0;
  const now = () => {
    timesAsked += 1;
    world.onLook();
    return world.nowMs;
  };
  const world: WorkerWorld = {
    paths,
    ports: { ...ports, clock: { ...clock, now }, presence: { ...presence, ask: person.ask } },
    nowMs: Math.floor(Date.now() / 1000) * 1000 + 60_000, // after what the spool's files say
    onLook: () => {},
    writeConfig: (config) => writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 }),
    linger: (duration) => world.writeConfig(configOf(paths, duration)),
    store(session, crashes = 0) {
      const payload = JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
      const header = { v: 1, event: "Stop", agent: "claude", processes: [person.processOf(session)] } as const;
      put(paths.spool, crashes > 0 ? `${session}.c${crashes}` : session, encodeRecord(header, Buffer.from(payload)));
    },
    answerToAll: undefined,
    asked: person.asked,
    answer: (session, presence = {}) => person.questionOf(session).resolve(presence),
    fail: (session) => person.questionOf(session).reject(new Error("a bug")),
    untilAsked: (...wanted) => expect.poll(() => world.asked).toEqual(wanted),
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
    remove: () => rmSync(paths.root, { recursive: true, force: true }),
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
