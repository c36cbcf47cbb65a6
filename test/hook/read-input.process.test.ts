import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { maxPayloadBytes } from "../../src/spool/record.ts";
import { buildProgram } from "../world/spool.ts";

/** Arguments of one call of the function that `readInput` calls. */
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
  import { readInput, readTimeoutMs } from "../hook/read-input.ts";
  const startedAtMs = performance.now();
  const calls = [];
  // Tells a deadline of half a second from one of a second, however late both are seen on a busy machine.
  let isAfter950Ms = false;
  setTimeout(() => setImmediate(() => (isAfter950Ms = true)), 950);
  const stop = new AbortController();
  readInput(process.env.SESSION_END ? readTimeoutMs.sessionEnd : readTimeoutMs.ordinary, stop.signal, (input) => {
    const afterMs = performance.now() - startedAtMs;
    if (input === "terminal") calls.push(input);
    else { const { payload, end } = input;
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
  reader = buildProgram(join(folder, "reader.cjs"), program);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Write = (stdin: Writable) => unknown;

/**
 * Returns the only call for a reader whose standard input Node sees as a pipe. On most systems, a child's standard
 * input is a socket.
 */
async function piped(write: Write, env = {}): Promise<Call> {
  const child = spawn(process.execPath, [reader], { stdio: "pipe", env: { ...process.env, ...env } });
  const { stdin } = child;
  stdin.on("error", () => {}); // it may stop reading before we stop writing
  write(stdin);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  stdin.destroy();
  const calls = JSON.parse(out) as readonly Call[];
  expect([err, calls.length]).toEqual(["", 1]);
  return calls[0] as Call;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const object = '{"a":1}';
const odd = Buffer.from([0xef, 0xbb, 0xbf, 0, 0xff, 0xfe, 0x0a]);
const silent = { length: 0, end: 124, isAfter950Ms: false, afterMs: expect.toSatisfy((ms: number) => ms >= 480) };
const never: Write = () => {};
const sockets: readonly (readonly [title: string, write: Write, expected: object, env?: NodeJS.ProcessEnv])[] = [
  ["to its end, if it is empty", (stdin) => stdin.end(), { length: 0, end: 0 }],
  ["byte for byte", (stdin) => stdin.end(odd), { length: 7, text: odd.toString(), end: 0 }],
  ["for 500 ms, if nothing comes", never, silent],
  ["for 500 ms, if nothing comes on Windows", never, silent, { AS_WINDOWS: "1" }],
  ["until any input comes on Windows", (stdin) => stdin.write(object), { text: object, end: 0 }, { AS_WINDOWS: "1" }],
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

const shellLines: Readonly<Record<string, object>> = {
  [`printf '${object}' | "$0" "$1"`]: { text: object, end: 0 },
  [`{ printf '${object}'; sleep 3; } | "$0" "$1"`]: { text: object, end: 0, isAfter950Ms: false },
  'sleep 3 | "$0" "$1"': silent,
  '"$0" "$1" <&-': { length: 0 },
};

test.skipIf(process.platform === "win32")("a shell's pipes and closed input are read on a real clock", async () => {
  const results = Object.keys(shellLines).map(async (line) => {
    const { stdout } = await promisify(execFile)("sh", ["-c", line, process.execPath, reader]);
    return [line, JSON.parse(stdout)];
  });
  const expected = Object.entries(shellLines).map(([line, call]) => [line, [expect.objectContaining(call)]]);
  expect(Object.fromEntries(await Promise.all(results))).toEqual(Object.fromEntries(expected));
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
