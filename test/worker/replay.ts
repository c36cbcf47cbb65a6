import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Ports } from "../../src/core/ports.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import { createClock } from "../../src/io/clock.ts";
import { waitingEntries } from "../../src/spool/claim.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import { readAllJournal } from "../world/home.ts";
import { localPorts } from "../world/local-ports.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

/** Notifications shown to the user. */
export interface Ring {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
}

interface Happening {
  readonly atMs: number;
  readonly hook?: string;
  readonly payload?: object;
  readonly file?: string;
  readonly line?: object;
  readonly text?: string;
}

const folder = join(import.meta.dirname, "../fixtures/recordings");
/** Differences from the recording. */
interface Difference {
  /** Name of the agent's machine, if the user is at another. */
  readonly host?: string;
  /** Delay from a hook's end to the worker's scan. */
  readonly wakeMs?: number;
  /** Delay of the transcript's lines, as on a busy machine. */
  readonly lateMs?: number;
  /** The user's own templates. */
  readonly templates?: object;
}

/** Time for which a recording is followed after the last hook. */
const afterwardsMs = 10 * 60_000;

/**
 * Replays a recorded session through spool, worker, pipeline and a real webhook on a clock that jumps between its
 * steps; files always have the bytes they had at that time.
 */
export async function replay(recording: string, difference: Difference = {}): Promise<readonly Ring[]> {
  const text = readFileSync(join(folder, `${recording}.jsonl`), "utf8");
  return (await replayText(text, difference)).rings;
}

/** Replays the text of a recording. Returns its rings, and the lines of the journal. */
export async function replayText(text: string, difference: Difference = {}) {
  const home = mkdtempSync(join(tmpdir(), "beckon-replay-"));
  const homeBefore = process.env["HOME"];
  process.env["HOME"] = home;
  const receiver = await startReceiver();
  try {
    await new Replay(home, receiver, text, difference).run();
    const rings = receiver.accepted.map(({ body }) => (JSON.parse(body) as { readonly data: Ring }).data);
    return { rings, journal: readAllJournal(resolvePaths(join(home, ".beckon")).journal) };
  } finally {
    process.env["HOME"] = homeBefore;
    await receiver.close();
    rmSync(home, { recursive: true, force: true });
  }
}

class Replay {
  readonly #paths;
  readonly #agent: string;
  readonly #startMs: number;
  readonly #happenings: Happening[];
  readonly #ports: Ports;
  readonly #wakeMs: number;
  #nowMs: number;

  constructor(home: string, receiver: Receiver, text: string, difference: Difference) {
    const { host, wakeMs = 50, lateMs = 0, templates = {} } = difference;
    const [head, ...rest] = text.replaceAll("/home/dev", home).trim().split("\n");
    const { agent, startedAt } = JSON.parse(head ?? "") as { readonly agent: string; readonly startedAt: string };
    this.#agent = agent;
    this.#startMs = Date.parse(startedAt);
    this.#nowMs = this.#startMs;
    this.#wakeMs = wakeMs;
    const late = ({ atMs, ...rest }: Happening) => ({ ...rest, atMs: rest.line ? atMs + lateMs : atMs });
    const happenings = rest.map((line) => late(JSON.parse(line) as Happening));
    this.#happenings = lateMs > 0 ? happenings.sort((a, b) => a.atMs - b.atMs) : happenings;
    this.#paths = resolvePaths(join(home, ".beckon"));
    this.#ports = { ...localPorts(), clock: this.#clock(), host: { elsewhere: () => host } };
    mkdirSync(this.#paths.root);
    for (const { file } of happenings) if (file) mkdirSync(dirname(file), { recursive: true });
    makeSpool(this.#paths.spool);
    const notifiers = { person: { type: "webhook", url: receiver.url } };
    const routes = [{ kinds: ["needs-you", "failed", "finished"], to: ["person"] }];
    writeFileSync(this.#paths.config, JSON.stringify({ notifiers, routes, templates }), { mode: 0o600 });
  }

  async run(): Promise<void> {
    for (let next = this.#happenings.shift(); next; next = this.#happenings.shift()) {
      await this.#workUntil(this.#startMs + next.atMs);
      if (next.hook === undefined) this.#write(next);
      else await this.#fire(next.hook, next);
    }
    await this.#workUntil(this.#nowMs + afterwardsMs);
  }

  async #fire(event: string, { atMs, payload = {} }: Happening): Promise<void> {
    const firedAtMs = this.#startMs + atMs;
    const id = `${event.replaceAll(".", "-")}-${atMs}`;
    const header = { v: 1, event, agent: this.#agent } as const;
    put(this.#paths.spool, id, encodeRecord(header, Buffer.from(JSON.stringify(payload))));
    utimesSync(join(this.#paths.spool, "new", `${id}.json`), firedAtMs / 1000, firedAtMs / 1000);
    await this.#workAt(firedAtMs + this.#wakeMs);
  }

  /** Lets the worker scan for every event due before an instant. */
  async #workUntil(ms: number): Promise<void> {
    for (;;) {
      const [next] = waitingEntries(this.#paths.spool);
      if (next === undefined || next.dueAtMs > ms) return;
      await this.#workAt(next.dueAtMs);
    }
  }

  async #workAt(ms: number): Promise<void> {
    this.#advanceTo(ms);
    await runWorker(this.#paths, this.#ports, { once: true });
  }

  #clock(): Ports["clock"] {
    return { ...createClock(), now: () => this.#nowMs, wait: async (ms) => this.#advanceTo(this.#nowMs + ms) };
  }

  /** Moves the clock and writes the agent's output up to then. */
  #advanceTo(ms: number): void {
    this.#nowMs = Math.max(this.#nowMs, ms);
    const isDue = ({ atMs, hook }: Happening) => hook === undefined && this.#startMs + atMs <= this.#nowMs;
    while (this.#happenings[0] && isDue(this.#happenings[0])) this.#write(this.#happenings.shift() as Happening);
  }

  #write({ file = "", line, text }: Happening): void {
    appendFileSync(file, text ?? `${JSON.stringify(line)}\n`);
  }
}
