import { type FSWatcher, mkdirSync, watch } from "node:fs";
import type { Readable, Writable } from "node:stream";
import packageFile from "../../package.json" with { type: "json" };
import { isOpen } from "../attention/alert.ts";
import { alertFolder, readAlerts } from "../attention/alert-files.ts";
import type { ClockPort, Timer } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";
import { writeStateFile } from "../files/state-file.ts";
import { putSeen } from "../spool/put-seen.ts";
import { wake } from "../spool/wake.ts";
import { Outbox, type OutboxEntry } from "./outbox.ts";
import { type Asked, askedSchema, linesOf, protocolVersion, readLine, say } from "./protocol.ts";
import { relayFiles } from "./relay-files.ts";
import { wireIds } from "./wire-id.ts";

/** How often the folder is looked at where the system tells nothing of it. */
const lookMs = 1_000;
/** A long list is not made anew more often, milliseconds. */
const listEveryMs = 200;
/** A person's machine that has said nothing for so long has gone, whatever the pipe says. */
const goneMs = 60_000;
/** How often it is noted that the person's machine is there. */
const noteEveryMs = 10_000;

/** The streams that `serve` talks through, and its clock. */
export interface ServeStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly clock: ClockPort;
}

/**
 * Sends the person's machine what waits for it, deletes what it acknowledges, and ends requests here that the person
 * has seen there. Returns when the other side hangs up or has gone.
 */
export async function serve(paths: Paths, { input, output, clock }: ServeStreams): Promise<void> {
  const sender = new Sender(paths, output, clock);
  const watch = () => clock.after(goneMs, () => input.destroy()).ref();
  output.on("error", () => input.destroy()); // the other side has hung up
  await say(output, { beckon: protocolVersion, version: packageFile.version, nowMs: clock.now() });
  let watchdog = watch();
  try {
    for await (const line of linesOf(input)) {
      const asked = readLine(line, askedSchema);
      if (!asked) continue; // the shell's own line, or a newer version's
      watchdog.cancel();
      watchdog = watch();
      await sender.hear(asked);
    }
  } catch {
    // destroyed above, or a line without an end: either way there is nobody to talk to
  } finally {
    watchdog.cancel();
    sender.end();
  }
}

/** One connection's view of the outbox: what was sent and is not acknowledged. */
class Sender {
  readonly #paths: Paths;
  readonly #files: ReturnType<typeof relayFiles>;
  readonly #output: Writable;
  readonly #outbox: Outbox;
  readonly #sent = new Map<string, OutboxEntry>();
  /** What waits, as the folder was last listed, without what was sent. */
  #waiting: OutboxEntry[] = [];
  #window = 0;
  #isOutdated = true;
  #listedAtMs = 0;
  #isSending = false;
  #version = "";
  #notedAtMs = 0;
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;
  readonly #clock: ClockPort;

  constructor(paths: Paths, output: Writable, clock: ClockPort) {
    this.#paths = paths;
    this.#clock = clock;
    this.#files = relayFiles(paths);
    this.#output = output;
    this.#outbox = new Outbox(this.#files.outbox);
  }

  async hear(asked: Asked): Promise<void> {
    if ("ping" in asked) await say(this.#output, { pong: asked.ping });
    else if ("window" in asked) this.#begin(asked);
    else if ("ack" in asked) this.#acknowledge(asked.ack);
    else if ("seen" in asked) await this.#markSeen(asked.seen);
    if (this.#window > 0) this.#noteFetched();
    await this.#send();
  }

  end(): void {
    this.#watcher?.close();
    this.#timer?.cancel();
  }

  #begin({ window, version }: Extract<Asked, { window: number }>): void {
    if (this.#window > 0) return;
    this.#window = window;
    mkdirSync(this.#files.outbox, { recursive: true, mode: 0o700 });
    const look = (): void => {
      this.#isOutdated = true;
      void this.#send();
    };
    try {
      this.#watcher = watch(this.#files.outbox, look).on("error", () => {});
    } catch {
      // no watches left: the timer has to do
    }
    this.#timer = this.#clock.every(lookMs, look).ref();
    this.#outbox.sweep(this.#clock.now());
    this.#version = version;
  }

  /** Notes that the person's machine is there, for `relay status`. */
  #noteFetched(): void {
    const atMs = this.#clock.now();
    if (atMs - this.#notedAtMs < noteEveryMs) return;
    this.#notedAtMs = atMs;
    writeStateFile(this.#files.fetched, { atMs, version: this.#version });
  }

  #acknowledge(ids: readonly string[]): void {
    for (const id of ids) {
      const entry = this.#sent.get(id);
      if (entry) this.#outbox.remove(entry);
      this.#sent.delete(id);
    }
  }

  /** Sends what fits into the window, what is urgent first. One at a time: it is called from several sides. */
  async #send(): Promise<void> {
    if (this.#isSending || this.#window === 0) return;
    this.#isSending = true;
    try {
      for (let next = this.#next(); next && this.#output.writable; next = this.#next()) {
        const envelope = this.#outbox.read(next);
        if (!envelope) continue; // acknowledged over another way meanwhile, or a newer version's
        this.#sent.set(next.id, next);
        await say(this.#output, { envelope });
      }
    } finally {
      this.#isSending = false;
    }
  }

  #next(): OutboxEntry | undefined {
    const isDue = this.#clock.now() - this.#listedAtMs > listEveryMs || this.#waiting.length === 0;
    if (this.#isOutdated && isDue) {
      this.#isOutdated = false;
      this.#listedAtMs = this.#clock.now();
      this.#waiting = this.#outbox.entries().filter(({ id }) => !this.#sent.has(id));
    }
    const open = [0, 0, 0];
    for (const { urgency } of this.#sent.values()) open[urgency] = (open[urgency] ?? 0) + 1;
    const index = this.#waiting.findIndex(({ urgency }) => (open[urgency] ?? 0) < this.#window);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  /** Ends here what the person has seen there, as `beckon seen` does. */
  async #markSeen(ids: readonly string[]): Promise<void> {
    const wireId = wireIds(this.#files.secret);
    const seen = new Set(ids);
    const alerts = readAlerts(alertFolder(this.#paths)).filter(({ concerns }) =>
      concerns.some((one) => isOpen(one) && seen.has(wireId(one.id))),
    );
    for (const alert of alerts) putSeen(this.#paths.spool, alert);
    if (alerts.length > 0) await wake(this.#paths);
  }
}
