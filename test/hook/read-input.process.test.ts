import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, createWriteStream, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { maxPayloadBytes } from "../../src/spool/record.ts";

/** What `readInput` called back with, each time it did. */
interface Call {
  readonly text: string;
  readonly length: number;
  readonly end: number;
  readonly afterMs: number;
  readonly isAfter950Ms: boolean;
}

const program = `
  // On Windows Node says of every pipe that it is neither a FIFO nor a socket.
  const { Stats } = require("node:fs");
  if (process.env.AS_WINDOWS) Stats.prototype.isFIFO = Stats.prototype.isSocket = () => false;
  import { readInput, readingMs } from "./read-input.ts";
  const startedAtMs = performance.now();
  const calls = [];
  // Tells a deadline of half a second from one of a second, however late both are seen on a busy machine.
  let isAfter950Ms = false;
  setTimeout(() => setImmediate(() => (isAfter950Ms = true)), 950);
  const stop = new AbortController();
  readInput(process.env.SESSION_END ? readingMs.sessionEnd : readingMs.ordinary, stop.signal, (input) => {
    const afterMs = performance.now() - startedAtMs;
    if (input === "terminal") calls.push(input);
    else {
      const { payload, end } = input;
      calls.push({ text: payload.subarray(0, 200).toString(), length: payload.length, end, afterMs, isAfter950Ms });
    }
    if (calls.length > 1) return;
    // Long enough for a second call, if there is one.
    setTimeout(() => process.stdout.write(JSON.stringify(calls), () => process.exit(0)), 100);
  });
  const blockMs = Number(process.env.BLOCK_MS ?? 0);
  // As on a machine too busy to run this process for a while: timers and input are seen in one turn of the event loop.
  const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
  if (blockMs > 0) setTimeout(() => setImmediate(block), 50);
`;

let folder: string;
let reader: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "beckon-stdin-"));
  reader = join(folder, "reader.cjs");
  buildSync({
    stdin: { contents: program, resolveDir: join(import.meta.dirname, "../../src/hook"), loader: "ts" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    supported: { "dynamic-import": false },
    outfile: reader,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function resultOf({ stdout, stderr }: { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }) {
  const texts = [stdout, stderr].map(async (stream) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  });
  const [out = "", err = ""] = await Promise.all(texts);
  expect(err).toBe("");
  return JSON.parse(out) as readonly Call[];
}

type Write = (stdin: Writable) => unknown;

/** The only call of a reader whose standard input is what Node calls a pipe, a socket on most systems. */
async function piped(write: Write, env = {}): Promise<Call> {
  const child = spawn(process.execPath, [reader], { stdio: "pipe", env: { ...process.env, ...env } });
  return callOf(child, child.stdin, write);
}

/** The same, of a pipe as shells and most languages make it. */
async function pipedByShell(write: Write, env = {}): Promise<Call> {
  const fifo = join(mkdtempSync(join(folder, "fifo-")), "in");
  execFileSync("mkfifo", [fifo]);
  const descriptor = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK); // or it would wait for the writer
  const stdin = createWriteStream(fifo);
  await once(stdin, "open");
  const child = spawn(process.execPath, [reader], {
    stdio: [descriptor, "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  closeSync(descriptor);
  return callOf(child as unknown as ChildProcessWithoutNullStreams, stdin, write);
}

async function callOf(child: ChildProcessWithoutNullStreams, stdin: Writable, write: Write): Promise<Call> {
  stdin.on("error", () => {}); // it may stop reading before we stop writing
  write(stdin);
  const calls = await resultOf(child);
  stdin.destroy();
  expect(calls).toHaveLength(1);
  return calls[0] as Call;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const object = '{"a":1}';
const nested = '{"a":{"b":1}}';
const odd = Buffer.from([0xef, 0xbb, 0xbf, 0, 0xff, 0xfe, 0x0a]);
const silent = { length: 0, end: 124, isAfter950Ms: false, afterMs: expect.toSatisfy((ms: number) => ms >= 480) };
const never: Write = () => {};
const repeat: Write = (stdin) => {
  const timer = setInterval(() => stdin.write('{"a'), 100);
  stdin.on("close", () => clearInterval(timer));
};
const sockets: readonly (readonly [title: string, write: Write, expected: object, env?: NodeJS.ProcessEnv])[] = [
  ["to its end, if it is empty", (stdin) => stdin.end(), { length: 0, end: 0 }],
  ["byte for byte", (stdin) => stdin.end(odd), { length: 7, text: odd.toString(), end: 0 }],
  [
    "beyond the end of an inner object, though the writer never closes its end",
    (stdin) => stdin.write(nested.slice(0, -1), () => void sleep(150).then(() => stdin.write("}"))),
    { text: nested, end: 0 },
  ],
  ["for 500 ms, if nothing comes", never, silent],
  ["for 500 ms, if nothing comes on Windows", never, silent, { AS_WINDOWS: "1" }],
  ["until whatever comes on Windows", (stdin) => stdin.write(object), { text: object, end: 0 }, { AS_WINDOWS: "1" }],
  [
    "for a second, if the input never becomes complete",
    repeat,
    {
      end: 124,
      text: expect.stringMatching(/^(\{"a)+$/),
      afterMs: expect.toSatisfy((ms: number) => ms >= 980),
    },
  ],
  [
    "completely, up to 1 MiB",
    (stdin) => stdin.end(`{"a":"${"x".repeat(maxPayloadBytes - 8)}"}`),
    { length: maxPayloadBytes, end: 0 },
  ],
  [
    "to a little over 1 MiB, however much comes",
    (stdin) => stdin.end("x".repeat(5 * maxPayloadBytes)),
    { end: 153, length: expect.toSatisfy((size: number) => size > maxPayloadBytes && size < 2 * maxPayloadBytes) },
  ],
  [
    "once, even if input and deadline are seen together",
    (stdin) => void sleep(500).then(() => stdin.write(object)),
    { text: object, end: 0 },
    { BLOCK_MS: "1200" },
  ],
];

for (const [title, write, expected, env] of sockets) {
  test.concurrent(`a socket is read ${title}`, async () => {
    expect(await piped(write, env)).toMatchObject(expected);
  });
}

test.runIf(process.platform === "linux")("a pipe is read until an object is complete, or for 500 ms", async () => {
  expect(await pipedByShell((stdin) => stdin.write(object))).toMatchObject({ text: object, end: 0 });
  expect(await pipedByShell(never)).toMatchObject(silent);
});

test.skipIf(process.platform === "win32")("closed input is read as empty", () => {
  const out = execFileSync("sh", ["-c", '"$0" "$1" <&-', process.execPath, reader]).toString();
  expect(JSON.parse(out)).toEqual([expect.objectContaining({ length: 0 })]);
});

test.skipIf(process.platform !== "linux")("a terminal is not read", () => {
  // `script` gives its child a terminal.
  const [, out] = /(\[.*\])/.exec(
    execFileSync("script", ["-qec", `"${process.execPath}" "${reader}"`, "/dev/null"], {
      stdio: ["ignore", "pipe", "ignore"],
    }).toString(),
  ) ?? ["", ""];
  expect(out).toBe('["terminal"]');
});
