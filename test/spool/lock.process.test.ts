import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildProgram, createSpool, type TestSpool, takeWorkerTitle } from "../world/spool.ts";

let at: TestSpool;
let lock: string;
let children: ChildProcess[];

beforeEach(() => {
  takeWorkerTitle();
  at = createSpool();
  lock = join(at.spool, "worker.lock");
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});

interface Contender {
  readonly got: boolean;
  readonly still: boolean;
}

async function contend(): Promise<readonly Contender[]> {
  const program = buildProgram(
    join(at.root, "contender.cjs"),
    `import { createClock } from "../io/clock.ts";
     import { acquire } from "./lock.ts";
     import { workerTitle } from "./wake.ts";
     process.title = workerTitle;
     const [file, startAtMs] = process.argv.slice(2);
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, Number(startAtMs) - Date.now()));
     const lock = acquire(file, { clock: createClock() });
     setTimeout(() => {
       process.stdout.write(JSON.stringify({ got: lock !== undefined, still: lock?.isHeld() ?? false }));
     }, 300);
     process.on("message", () => process.exit(0));`,
  );
  const startAtMs = String(Date.now() + 700);
  const results = Array.from({ length: 8 }, async () => {
    const child = spawn(process.execPath, [program, lock, startAtMs], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    children.push(child);
    const [text] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    return JSON.parse(text.toString()) as Contender;
  });
  return Promise.all(results);
}

function plantHanging(): void {
  const minuteAgo = Date.now() / 1000 - 60;
  writeFileSync(lock, `${process.pid} x ${hostname()}\n`);
  utimesSync(lock, minuteAgo, minuteAgo);
}

test.each<[string, () => void]>([
  ["a free lock", () => {}],
  ["the lock of a dead worker", () => writeFileSync(lock, `${spawnSync("true").pid} x ${hostname()}\n`)],
  ["the lock of a hanging worker", plantHanging],
])("of eight processes at once exactly one acquires %s, and keeps it", async (_, prepare) => {
  prepare();
  const contenders = await contend();
  expect(contenders.filter(({ got }) => got)).toHaveLength(1);
  expect(contenders.filter(({ still }) => still)).toHaveLength(1);
  expect(readdirSync(at.spool).filter((file) => file.startsWith("worker.lock."))).toEqual([]);
});

test("an entry is claimed by exactly one of two processes", async () => {
  const program = buildProgram(
    join(at.root, "claimer.cjs"),
    `import { claim } from "./claim.ts";
     const [spool, startAtMs] = process.argv.slice(2);
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, Number(startAtMs) - Date.now()));
     let mine = "";
     for (let id = 0; id < 200; id += 1) mine += claim(spool, { id: "e" + id, crashes: 0 }) ? "1" : "0";
     process.stdout.write(mine);`,
  );
  for (let id = 0; id < 200; id += 1) at.write(`new/e${id}.json`);
  const startAtMs = String(Date.now() + 400);
  const claimed = await Promise.all(
    [1, 2].map(async () => {
      const child = spawn(process.execPath, [program, at.spool, startAtMs], { stdio: ["ignore", "pipe", "inherit"] });
      const chunks: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
      const [code] = (await once(child, "close")) as [number];
      expect(code).toBe(0);
      return Buffer.concat(chunks).toString();
    }),
  );
  const [first = "", second = ""] = claimed;
  for (let id = 0; id < 200; id += 1) expect(`${first[id]}${second[id]}`).toMatch(/^(01|10)$/);
  expect(at.files()).toHaveLength(200);
});
