import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildProgram, useSpool } from "../world/spool.ts";

const at = useSpool();
let lock: string;
let children: ChildProcess[];

beforeEach(() => {
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
     import { acquire } from "../files/lock.ts";
     const [file, startAtMs] = process.argv.slice(2);
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, Number(startAtMs) - Date.now()));
     acquire(file, createClock()).then((lock) => setTimeout(() => {
       process.stdout.write(JSON.stringify({ got: lock !== undefined, still: lock?.isHeld() ?? false }));
     }, 3_000));
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

test.each<[string, () => void]>([
  ["a free lock", () => {}],
  ["the lock of a dead worker", () => writeFileSync(lock, `${spawnSync("true").pid} 1 ${hostname()}\n`)],
  ["the lock of a hanging worker", () => writeFileSync(lock, `${process.pid} 1 ${hostname()}\n`)],
])("exactly one of eight parallel processes acquires %s, and keeps it", async (_, prepare) => {
  prepare();
  const contenders = await contend();
  expect(contenders.filter(({ got }) => got)).toHaveLength(1);
  expect(contenders.filter(({ still }) => still)).toHaveLength(1);
  expect(readdirSync(at.spool).filter((file) => file.startsWith("worker.lock."))).toEqual([]);
});
