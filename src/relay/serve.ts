import { type FSWatcher, mkdirSync, watch } from "node:fs";
import type { Readable, Writable } from "node:stream";
import packageFile from "../../package.json" with { type: "json" };
import { isOpen } from "../attention/alert.ts";
import { alertFolder, readAlerts } from "../attention/alert-files.ts";
import type { ClockPort, Timer } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { writeStateFile } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { putSeen } from "../spool/put.ts";
import { wake } from "../spool/wake.ts";
import { wireIds } from "./envelope.ts";
import { Outbox, type OutboxEntry } from "./outbox.ts";
import { protocolVersion, type RunMessage, readLine, readLines, runMessageSchema, send } from "./protocol.ts";
import { relayFiles } from "./relay-status.ts";

/** Interval for polling the outbox, milliseconds. File watching is faster, but not always available. */
const pollMs = 1_000;
/** Minimum time between two listings of a large outbox, milliseconds. */
const minListIntervalMs = 200;
/** Time without a line after which the user's machine counts as gone, even if the pipe is open, milliseconds. */
const silenceTimeoutMs = 60_000;
/** Interval for recording that the user's machine is connected, milliseconds. */
const noteIntervalMs = 10_000;

/**
 * Sends the outbox to the user's machine. Deletes the envelopes that the user's machine acknowledges, and marks
 * sessions as seen that the user has seen there. Returns when the other side hangs up or falls silent.
 */
export async function serve(
  paths: Paths,
  { input, output, clock }: { readonly input: Readable; readonly output: Writable; readonly clock: ClockPort },
): Promise<void> {
  const sender = new Sender(paths, output, clock);
  const watch = () => clock.after(silenceTimeoutMs, () => input.destroy()).ref();
  output.on("error", () => input.destroy()); // the other side has hung up
  await send(output, { beckon: protocolVersion, version: packageFile.version, nowMs: clock.now() });
  let watchdog = watch();
  try {
    for await (const line of readLines(input)) {
      const message = readLine(line, runMessageSchema);
      if (!message) continue; // shell output, or a line from a newer version
      watchdog.cancel();
      watchdog = watch();
      await sender.handle(message);
    }
  } catch {
    // The watchdog closed the input, or a line was too long. The connection is unusable.
  } finally {
    watchdog.cancel();
    sender.end();
  }
}

/** Sends the outbox over one connection, and tracks unacknowledged envelopes. */
class Sender {
  readonly #paths: Paths;
  readonly #files: ReturnType<typeof relayFiles>;
  readonly #output: Writable;
  readonly #outbox: Outbox;
  readonly #sent = new Map<string, OutboxEntry>();
  /** Unsent envelopes from the last listing of the outbox. */
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

  async handle(message: RunMessage): Promise<void> {
    if ("ping" in message) await send(this.#output, { pong: message.ping });
    else if ("window" in message) this.#begin(message);
    else if ("ack" in message) this.#acknowledge(message.ack);
    else if ("seen" in message) await this.#markSeen(message.seen);
    if (this.#window > 0) this.#noteFetched();
    await this.#send();
  }

  end(): void {
    this.#watcher?.close();
    this.#timer?.cancel();
  }

  #begin({ window, version }: Extract<RunMessage, { window: number }>): void {
    if (this.#window > 0) return;
    this.#window = window;
    mkdirSync(this.#files.outbox, { recursive: true, mode: 0o700 });
    const refresh = (): void => {
      this.#isOutdated = true;
      void this.#send();
    };
    // If the system has no watches left, only the timer refreshes.
    this.#watcher = quietly(() => watch(this.#files.outbox, refresh).on("error", () => {}));
    this.#timer = this.#clock.every(pollMs, refresh).ref();
    this.#outbox.sweep(this.#clock.now());
    this.#version = version;
  }

  /** Records that the user's machine is connected, for `relay status`. */
  #noteFetched(): void {
    const atMs = this.#clock.now();
    if (atMs - this.#notedAtMs < noteIntervalMs) return;
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

  /** Sends as many envelopes as the window allows, urgent ones first. Returns at once if another call is sending. */
  async #send(): Promise<void> {
    if (this.#isSending || this.#window === 0) return;
    this.#isSending = true;
    try {
      for (let next = this.#next(); next && this.#output.writable; next = this.#next()) {
        const envelope = this.#outbox.read(next);
        if (!envelope) continue; // acknowledged over another connection, or written by a newer version
        this.#sent.set(next.id, next);
        await send(this.#output, { envelope });
      }
    } finally {
      this.#isSending = false;
    }
  }

  #next(): OutboxEntry | undefined {
    const isDue = this.#clock.now() - this.#listedAtMs > minListIntervalMs || this.#waiting.length === 0;
    if (this.#isOutdated && isDue) {
      this.#isOutdated = false;
      this.#listedAtMs = this.#clock.now();
      this.#waiting = this.#outbox.entries().filter(({ id }) => !this.#sent.has(id));
    }
    const unacknowledged = [0, 0, 0];
    for (const { urgency } of this.#sent.values()) unacknowledged[urgency] = (unacknowledged[urgency] ?? 0) + 1;
    const index = this.#waiting.findIndex(({ urgency }) => (unacknowledged[urgency] ?? 0) < this.#window);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  /** Marks a session as seen, as `beckon seen` does, if the user has seen one of its events on their own machine. */
  async #markSeen(ids: readonly string[]): Promise<void> {
    const wireId = wireIds(this.#files.secret);
    const seen = new Set(ids);
    const alerts = readAlerts(alertFolder(this.#paths)).filter(({ concerns }) =>
      concerns.some((concern) => isOpen(concern) && seen.has(wireId(concern.id))),
    );
    for (const alert of alerts) putSeen(this.#paths.spool, alert);
    if (alerts.length > 0) await wake(this.#paths);
  }
}
