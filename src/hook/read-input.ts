import { constants, fstatSync, openSync, readSync } from "node:fs";
import { readErrno } from "../core/errors.ts";
import { parseJson } from "../core/json-value.ts";
import { quietly } from "../core/quietly.ts";
import { readRange } from "../files/read-file.ts";
import { inputEnd, maxPayloadBytes, type SpoolRecord } from "../spool/record.ts";

/** Text read from standard input. `end` is a value of `inputEnd`, as in the spool record. */
export type Input = Pick<SpoolRecord, "payload" | "end">;

const idleTimeoutMs = 500;

/** Maximum time for reading the input, in milliseconds. Some agents kill a SessionEnd hook after one second. */
export const readTimeoutMs = { ordinary: 1000, sessionEnd: 500 } as const;

/**
 * Bits of a file's mode that hold its type. `isFIFO()` does not recognize pipes on Windows:
 * https://github.com/nodejs/node/issues/57603
 */
const fileTypeMask = 0o170000;
const [pipeType, socketType] = [0o010000, 0o140000];

/**
 * Reads standard input until it ends or holds a complete JSON object, because some writers never close the pipe. Also
 * stops after 1 MiB, after `totalMs` milliseconds, if nothing arrives in the first 500 ms, and when `stop` aborts.
 * Calls `done` once, with the input read so far, or with `terminal` if standard input is a terminal; never throws.
 * Tests pass another descriptor as `fd`.
 */
export function readInput(totalMs: number, stop: AbortSignal, done: (input: Input | "terminal") => void, fd = 0): void {
  const type = quietly(() => fstatSync(fd).mode & fileTypeMask); // undefined if it is closed
  const pipe = type === pipeType ? openPipe(fd) : undefined;
  if (pipe !== undefined) readPipe(pipe, new Collector(totalMs, stop, done));
  else if (type === pipeType || type === socketType) void readStream(fd, new Collector(totalMs, stop, done));
  else void readFile(fd, done);
}

async function readFile(fd: number, done: (input: Input | "terminal") => void): Promise<void> {
  const { isatty } = await import("node:tty"); // loaded here because a hook usually has a pipe
  done(isatty(fd) ? "terminal" : readAll(fd));
}

function readAll(fd: number): Input {
  try {
    return { payload: readRange(fd, null, maxPayloadBytes + 1), end: inputEnd.complete };
  } catch {
    return { payload: Buffer.alloc(0), end: inputEnd.unreadable }; // closed, or a directory
  }
}

/** Collects input until it is complete or the time is up, then calls `done` once. */
class Collector {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  isDone = false;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #done: (input: Input) => void;
  /** Called when no further input is needed. */
  onDone: () => void = () => {};

  constructor(totalMs: number, stop: AbortSignal, done: (input: Input) => void) {
    this.#done = done;
    // On a busy machine, the timer may fire before available input is read. The next turn of the event loop reads it.
    const finishAfter = (ms: number, when: () => boolean) =>
      setTimeout(() => setImmediate(() => when() && this.finish(inputEnd.timeout)), ms);
    this.#timers = [finishAfter(idleTimeoutMs, () => this.#size === 0), finishAfter(totalMs, () => true)];
    const onStop = (): unknown => setImmediate(() => this.finish(inputEnd.timeout)); // reads what has arrived, as above
    if (stop.aborted) onStop();
    else stop.addEventListener("abort", onStop, { once: true });
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > maxPayloadBytes) this.finish(inputEnd.tooLarge);
    else if (endsLikeObject(chunk) && parseJson(Buffer.concat(this.#chunks).toString("utf8")) !== undefined)
      this.finish(inputEnd.complete);
  }

  finish(end: number): void {
    if (this.isDone) return; // a deadline may fire one turn of the event loop after the input is complete
    this.isDone = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.onDone();
    this.#done({ payload: Buffer.concat(this.#chunks), end });
  }
}

const pipeBytes = 65_536;
const pollMs = 2;

/**
 * Opens the pipe a second time, so that reads never block. Undefined if that fails, and on all systems but Linux.
 * Loading `node:net` instead would double the hook's own time.
 */
function openPipe(fd: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  return quietly(() => openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK));
}

function readPipe(pipe: number, collector: Collector): void {
  const poll = (): void => {
    while (!collector.isDone) {
      const chunk = readChunk(pipe);
      if (chunk === "none yet") return void setTimeout(poll, pollMs);
      if (chunk === undefined) collector.finish(inputEnd.unreadable);
      else if (chunk.length === 0) collector.finish(inputEnd.complete);
      else collector.add(chunk);
    }
  };
  poll();
}

/** Reads the available input from a pipe. Returns an empty buffer at the end, and undefined after an error. */
function readChunk(pipe: number): Buffer | "none yet" | undefined {
  const buffer = Buffer.allocUnsafe(pipeBytes);
  try {
    return buffer.subarray(0, readSync(pipe, buffer));
  } catch (error) {
    return readErrno(error) === "EAGAIN" ? "none yet" : undefined;
  }
}

/** Reads through a `node:net` socket, which can be closed while it waits. A blocking read would delay the exit. */
async function readStream(fd: number, collector: Collector): Promise<void> {
  const { Socket } = await import("node:net");
  const stream = new Socket({ fd, readable: true, writable: false });
  collector.onDone = () => {
    stream
      .removeAllListeners()
      .on("error", () => {})
      .destroy();
  };
  stream.on("data", (chunk: Buffer) => collector.add(chunk));
  stream.on("end", () => collector.finish(inputEnd.complete));
  stream.on("error", () => collector.finish(inputEnd.unreadable));
}

function endsLikeObject(chunk: Buffer): boolean {
  let last = chunk.length - 1;
  while (last > 0 && (chunk[last] ?? 0) <= 0x20) last -= 1;
  return chunk[last] === 0x7d;
}
