import { fstatSync, readSync } from "node:fs";
import { isatty } from "node:tty";
import { maxInputBytes } from "../core/input.ts";

/** What came on standard input. `end` as in the spool record: 0 whole, 124 deadline, 153 too large, 1 unreadable. */
export interface Input {
  readonly payload: Buffer;
  readonly end: number;
}

const silenceMs = 500;
const totalMs = 1000;

/**
 * Reads standard input once: to its end, or until one whole JSON object is there (some writers never close), or until
 * 1 MiB, or until nothing came for 500 ms, or until a second is over. Calls back once; never throws.
 */
export function readInput(done: (input: Input | "terminal") => void): void {
  if (isatty(0)) {
    done("terminal");
    return;
  }
  try {
    const kind = fstatSync(0);
    if (kind.isFIFO() || kind.isSocket()) void readStream(done);
    else done({ payload: readFile(), end: 0 });
  } catch {
    done({ payload: Buffer.alloc(0), end: 1 }); // closed, or a directory
  }
}

function readFile(): Buffer {
  const buffer = Buffer.allocUnsafe(maxInputBytes + 1);
  let size = 0;
  for (let read = -1; read !== 0 && size < buffer.length; size += read) {
    read = readSync(0, buffer, size, buffer.length - size, null);
  }
  return buffer.subarray(0, size);
}

/** A socket of `node:net` can be given up while it waits; a blocking read in Node's thread pool would hold the exit. */
async function readStream(done: (input: Input) => void): Promise<void> {
  const { Socket } = await import("node:net");
  const stream = new Socket({ fd: 0, readable: true, writable: false });
  const chunks: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const finish = (end: number): void => {
    if (isDone) return; // a deadline may be in its last turn of the loop when the input is whole
    isDone = true;
    for (const timer of timers) clearTimeout(timer);
    stream
      .removeAllListeners()
      .on("error", () => {})
      .destroy(); // whatever comes later is nobody's business
    done({ payload: Buffer.concat(chunks), end });
  };
  // After a starved start the timer is due before the data is seen: one more turn of the loop lets it in.
  const giveUpAt = (ms: number, when: () => boolean) => setTimeout(() => setImmediate(() => when() && finish(124)), ms);
  const timers = [giveUpAt(silenceMs, () => size === 0), giveUpAt(totalMs, () => true)];
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxInputBytes) finish(153);
    else if (endsLikeObject(chunk) && isJson(chunks)) finish(0);
  });
  stream.on("end", () => finish(0));
  stream.on("error", () => finish(1));
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
    return false; // more is to come
  }
}
