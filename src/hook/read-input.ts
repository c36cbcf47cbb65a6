import { fstatSync } from "node:fs";
import { readRange } from "../core/read-range.ts";
import { endOf, maxPayloadBytes } from "../spool/record.ts";

/** What was read from standard input. `end` is one of `endOf`, as in the spool record. */
export interface Input {
  readonly payload: Buffer;
  readonly end: number;
}

const silenceMs = 500;

/** Longest time that reading may take, in milliseconds. Some agents kill the hook of a session's end after a second. */
export const readingMs = { ordinary: 1000, sessionEnd: 500 } as const;

/**
 * The bits of a file's mode that tell what it is. `isFIFO()` knows of no pipe on Windows:
 * https://github.com/nodejs/node/issues/57603
 */
const fileTypeMask = 0o170000;
const [pipeType, socketType] = [0o010000, 0o140000];

/**
 * Reads standard input to its end, but no further than one complete JSON object (some writers never close the pipe) or
 * 1 MiB, and no longer than 500 ms if nothing comes, `totalMs` altogether. Once `stop` aborts, it makes do with what
 * has come. Calls back once; never throws.
 */
export function readInput(totalMs: number, stop: AbortSignal, done: (input: Input | "terminal") => void): void {
  const type = typeOfInput();
  if (type === pipeType || type === socketType) void readStream(totalMs, stop, done);
  else void readFile(done);
}

/** Undefined where it is closed. */
function typeOfInput(): number | undefined {
  try {
    return fstatSync(0).mode & fileTypeMask;
  } catch {
    return undefined;
  }
}

async function readFile(done: (input: Input | "terminal") => void): Promise<void> {
  const { isatty } = await import("node:tty"); // loaded here: an agent's hook has a pipe
  done(isatty(0) ? "terminal" : readWhole());
}

function readWhole(): Input {
  try {
    return { payload: readRange(0, null, maxPayloadBytes + 1), end: endOf.complete };
  } catch {
    return { payload: Buffer.alloc(0), end: endOf.unreadable }; // closed, or a directory
  }
}

/** Reads through a `node:net` socket, which can be destroyed while it waits: a blocking read would delay the exit. */
async function readStream(totalMs: number, stop: AbortSignal, done: (input: Input) => void): Promise<void> {
  const { Socket } = await import("node:net");
  const stream = new Socket({ fd: 0, readable: true, writable: false });
  const chunks: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const finish = (end: number): void => {
    if (isDone) return; // a deadline may be one turn of the event loop away when the input is complete
    isDone = true;
    for (const timer of timers) clearTimeout(timer);
    stream
      .removeAllListeners()
      .on("error", () => {})
      .destroy(); // whatever comes later is not wanted
    done({ payload: Buffer.concat(chunks), end });
  };
  // On a busy machine the timer may be due before data that has arrived is seen: one more turn of the loop reads it.
  const giveUpAt = (ms: number, when: () => boolean) =>
    setTimeout(() => setImmediate(() => when() && finish(endOf.timeout)), ms);
  const timers = [giveUpAt(silenceMs, () => size === 0), giveUpAt(totalMs, () => true)];
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxPayloadBytes) finish(endOf.tooLarge);
    else if (endsLikeObject(chunk) && isJson(chunks)) finish(endOf.complete);
  });
  stream.on("end", () => finish(endOf.complete));
  stream.on("error", () => finish(endOf.unreadable));
  const stopped = (): unknown => setImmediate(() => finish(endOf.timeout)); // likewise
  if (stop.aborted) stopped();
  else stop.addEventListener("abort", stopped, { once: true });
}

function endsLikeObject(chunk: Buffer): boolean {
  let last = chunk.length - 1;
  while (last > 0 && (chunk[last] ?? 0) <= 0x20) last -= 1;
  return chunk[last] === 0x7d;
}

function isJson(chunks: readonly Buffer[]): boolean {
  try {
    JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return true;
  } catch {
    return false; // not complete yet
  }
}
