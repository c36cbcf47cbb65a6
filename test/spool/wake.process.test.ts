import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, realpathSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { type Paths, pathsOf } from "../../src/core/paths.ts";
import { isStarting, livingWorker, removeStaleMark, wake, workerEnvironment } from "../../src/spool/wake.ts";
import { buildProgram, createSpool, type TestSpool } from "../world/spool.ts";

let at: TestSpool;
let paths: Paths;
let child: ChildProcess | undefined;
beforeEach(() => {
  at = createSpool();
  paths = pathsOf(at.root);
});
afterEach(() => {
  child?.kill();
  child = undefined;
});

/** Marks a process as a worker that has been starting for so long. */
function mark(program: string, args: readonly string[], ageMs: number): string {
  child = spawn(program, args, { stdio: "ignore" });
  writeFileSync(paths.starting, `${child.pid}\n`);
  const since = new Date(Date.now() - ageMs);
  utimesSync(paths.starting, since, since);
  return paths.starting;
}
const node = [process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]] as const;

test("a process of Node that was started a moment ago may be a worker", () => {
  const file = mark(...node, 0);
  expect(isStarting(paths)).toBe(true);
  expect(removeStaleMark(paths)).toBe(false);
  expect(existsSync(file)).toBe(true);
});

test.each([
  ["is older than any start takes", () => mark(...node, 11_000)],
  ["lies far in the future, after the clock was set back", () => mark(...node, -60_000)],
  ["names another program", () => mark("sleep", ["60"], 0)],
])("a mark that %s is stale, and is removed", (_, make) => {
  const file = make();
  expect(isStarting(paths)).toBe(false);
  expect(removeStaleMark(paths)).toBe(true);
  expect(existsSync(file)).toBe(false);
  expect(removeStaleMark(paths)).toBe(false);
});

test.each([
  ["beats", 0, true],
  ["has not beaten for longer than a worker may hang", 11_000, false],
  ["beats in the far future, after the clock was set back", -60_000, false],
])("without the names of processes, the number in a lock that %s is a worker's: %s ms, %s", (_, ageMs, isWorker) => {
  const { platform } = process;
  Object.defineProperty(process, "platform", { value: "darwin" });
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
  writeFileSync(paths.lock, `${process.ppid} token host\n`);
  const since = new Date(Date.now() - ageMs);
  utimesSync(paths.lock, since, since);
  expect(livingWorker(paths.lock)).toBe(isWorker ? process.ppid : undefined);
});

test("a worker starts apart from the hook, and a mark names it", async () => {
  const told = join(at.root, "told.json");
  const worker = join(at.root, "worker.cjs");
  writeFileSync(
    worker,
    `const { existsSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
     const { BECKON_HOME, BECKON_PROJECT, UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX } = process.env;
     const environment = { BECKON_HOME, BECKON_PROJECT, UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX };
     const stat = "/proc/self/stat";
     const session = existsSync(stat) ? readFileSync(stat, "utf8").split(") ")[1].split(" ")[3] : String(process.pid);
     const told = { pid: process.pid, session, cwd: process.cwd(), ...environment };
     writeFileSync(${JSON.stringify(`${told}.new`)}, JSON.stringify(told));
     renameSync(${JSON.stringify(`${told}.new`)}, ${JSON.stringify(told)});
     setTimeout(() => {}, 60_000);`,
  );
  await wake(paths, worker);
  while (!existsSync(told)) await sleep(20);
  const found = JSON.parse(readFileSync(told, "utf8")) as { readonly pid: number };
  process.kill(found.pid);
  expect(found).toEqual({
    pid: found.pid,
    session: String(found.pid),
    cwd: realpathSync(at.root),
    BECKON_HOME: paths.root,
    BECKON_PROJECT: process.cwd(),
    ...workerEnvironment,
  });
  expect(readFileSync(paths.starting, "utf8")).toBe(`${found.pid}\n`);
  expect(statSync(paths.starting).mode & 0o777).toBe(0o600);
});

test("where no process can be started, the event waits in silence", async () => {
  const program = buildProgram(
    join(at.root, "waker.cjs"),
    `import { pathsOf } from "../core/paths.ts";
     import { wake } from "./wake.ts";
     process.execPath = "/no/such/node";
     const paths = pathsOf(process.argv[2]);
     wake(paths, process.argv[1]).then(() => setTimeout(() => process.stdout.write("still here"), 100));`,
  );
  child = spawn(process.execPath, [program, at.root], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  expect({ code, output }).toEqual({ code: 0, output: "still here" });
  expect(existsSync(paths.starting)).toBe(false);
});
