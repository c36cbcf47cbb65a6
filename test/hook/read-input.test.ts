import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, Stats, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type Input, readInput, readTimeoutMs } from "../../src/hook/read-input.ts";
import { maxPayloadBytes } from "../../src/spool/record.ts";
import { useFolder } from "../world/fresh-folder.ts";

// Sockets, terminals and closed input need a process: `read-input.process.test.ts`.

const open: number[] = [];
const at = useFolder();
afterEach(() => {
  for (const descriptor of open.splice(0)) closeSync(descriptor);
});

function openFile(path: string, flags: string | number): number {
  const descriptor = openSync(path, flags);
  open.push(descriptor);
  return descriptor;
}

/** Behaviour of the writer at the other end of a pipe: it writes, closes its end, or stops the reader. */
type Step = readonly [atMs: number, what: string | Buffer | "close" | "stop"];
const pipeBytes = 65_536;

/** Cuts a text into pieces the size of a pipe buffer, each written when the last has been read. */
function pour(text: string): Step[] {
  const pieces = text.match(new RegExp(`[^]{1,${pipeBytes}}`, "g")) ?? [];
  return pieces.map((piece, index) => [2 * index, piece]);
}

/** Shortens a text so that its difference from another text can be printed. */
function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 9)}…${text.slice(-9)}, ${text.length}` : text;
}

interface Read {
  readonly text: string;
  readonly end: number;
  readonly atMs: number;
}

/**
 * Returns the calls that a pipe's reader makes within two seconds on a fake clock. The reader polls the pipe every 2
 * ms.
 */
function readSteps(steps: readonly Step[], totalMs: number = readTimeoutMs.ordinary): Read[] {
  const fifo = join(mkdtempSync(at("fifo-")), "in");
  execFileSync("mkfifo", [fifo]);
  const input = openFile(fifo, constants.O_RDONLY | constants.O_NONBLOCK); // or it would wait for the writer
  const writer = openSync(fifo, "w");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "Date"], now: 0 });
  const stop = new AbortController();
  const reads: Read[] = [];
  const done = (read: Input | "terminal") => {
    if (read !== "terminal") reads.push({ text: shorten(read.payload.toString()), end: read.end, atMs: Date.now() });
  };
  readInput(totalMs, stop.signal, done, input);
  for (const [atMs, what] of steps) {
    vi.advanceTimersByTime(atMs - Date.now());
    if (reads.length > 0) break; // the pipe is no longer read
    if (what === "stop") stop.abort();
    else if (what === "close") closeSync(writer);
    else writeSync(writer, what as string);
  }
  vi.advanceTimersByTime(2_000 - Date.now());
  if (!steps.some(([, what]) => what === "close")) closeSync(writer);
  return reads;
}

/** Time of one turn of the event loop on the fake clock. A deadline grants one turn to pending input. */
const turnMs = 1;

const object = '{"a":1}';
const nested = '{"a":{"b":1}}';
const largest = `{"a":"${"x".repeat(maxPayloadBytes - 8)}"}`;
const odd = Buffer.from([0xef, 0xbb, 0xbf, 0, 0xff, 0xfe, 0x0a]);
const tooLarge = "x".repeat(5 * maxPayloadBytes);
const everyTenth = Array.from({ length: 15 }, (_, index): Step => [100 * index, '{"a']);

const close: readonly Step[] = [[0, "close"]];

const cases: Readonly<Record<string, readonly [steps: readonly Step[], expected: Read, totalMs?: number]>> = {
  "to its end": [[...pour(object), ...close], { text: object, end: 0, atMs: 2 }],
  "to its end, if that is not JSON": [[...pour("[1"), [10, "close"]], { text: "[1", end: 0, atMs: 12 }],
  "empty to its end": [close, { text: "", end: 0, atMs: 2 }],
  "an object whose writer never closes": [pour('{"a":{"b":[1]}}'), { text: '{"a":{"b":[1]}}', end: 0, atMs: 2 }],
  "an object with a line end": [pour(`${object}\r\n`), { text: `${object}\r\n`, end: 0, atMs: 2 }],
  "beyond the end of an inner object": [[...pour('{"a":{"b":1}'), [150, "}"]], { text: nested, end: 0, atMs: 152 }],
  "nothing for 500 ms": [[], { text: "", end: 124, atMs: 500 + turnMs }],
  "input that comes just in time": [[[498, object]], { text: object, end: 0, atMs: 500 }],
  "an incomplete object for a second": [everyTenth, { text: '{"a'.repeat(10), end: 124, atMs: 1000 + turnMs }],
  "an incomplete object for half a second at a session's end": [
    everyTenth,
    { text: '{"a'.repeat(5), end: 124, atMs: 500 + turnMs },
    readTimeoutMs.sessionEnd,
  ],
  "an object that is complete at the deadline": [[...pour('{"a":'), [998, "1}"]], { text: object, end: 0, atMs: 1000 }],
  "1 MiB": [pour(largest), { text: shorten(largest), end: 0, atMs: 32 }],
  "little over 1 MiB of five": [
    pour(tooLarge),
    { text: shorten(tooLarge.slice(0, maxPayloadBytes + pipeBytes)), end: 153, atMs: 34 },
  ],
  "byte for byte": [[[0, odd], ...close], { text: odd.toString(), end: 0, atMs: 2 }],
  "input so far when it is stopped": [[...pour('{"a":'), [100, "stop"]], { text: '{"a":', end: 124, atMs: 100 }],
};

test.skipIf(process.platform !== "linux")("a pipe is read once, until it has enough or the deadline passes", () => {
  const results = Object.entries(cases).map(([name, [steps, , totalMs]]) => [name, readSteps(steps, totalMs)]);
  const expected = Object.entries(cases).map(([name, [, read]]) => [name, [read]]);
  expect(Object.fromEntries(results)).toEqual(Object.fromEntries(expected));
});

test.skipIf(process.platform !== "linux")("a pipe is recognized by its mode, as Node on Windows misses it", () => {
  vi.spyOn(Stats.prototype, "isFIFO").mockReturnValue(false);
  expect(readSteps([[0, object]])).toEqual([{ text: object, end: 0, atMs: 2 }]);
  expect(readSteps([])).toEqual([{ text: "", end: 124, atMs: 500 + turnMs }]);
});

/** Reads a descriptor other than a pipe. Returns the length and the reason for the end. */
async function readDescriptor(descriptor: number) {
  const { signal } = new AbortController();
  const input = await new Promise<Input | "terminal">((done) => readInput(1_000, signal, done, descriptor));
  return input === "terminal" ? input : { length: input.payload.length, end: input.end };
}

test("files, devices and folders are read as far as possible", async () => {
  const small = at("small");
  const large = at("large");
  writeFileSync(small, object);
  writeFileSync(large, "x".repeat(2 * maxPayloadBytes));
  const expected: Record<string, object> = {
    [small]: { length: 7, end: 0 },
    [large]: { length: maxPayloadBytes + 1, end: 0 }, // the byte that exceeds the limit
    ...(process.platform !== "win32" && {
      "/dev/null": { length: 0, end: 0 },
      "/dev/zero": { length: maxPayloadBytes + 1, end: 0 },
      "/": { length: 0, end: 1 },
    }),
  };
  const results = Object.keys(expected).map(async (path) => [path, await readDescriptor(openFile(path, "r"))]);
  expect(Object.fromEntries(await Promise.all(results))).toEqual(expected);
  expect(await readDescriptor(2 ** 30)).toEqual({ length: 0, end: 1 }); // closed
});
