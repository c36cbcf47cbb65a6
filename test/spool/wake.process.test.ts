import { existsSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { bootSeconds, readLockLine } from "../../src/files/lock-line.ts";
import { type Paths, resolvePaths } from "../../src/files/paths.ts";
import { wake, workerEnvironment } from "../../src/spool/wake.ts";
import { run } from "../world/home.ts";
import { buildProgram, useSpool } from "../world/spool.ts";

const at = useSpool();
let paths: Paths;
beforeEach(() => {
  paths = resolvePaths(at.root);
});

/** Makes the lock line of this process's parent, which promises to stay awake for this many seconds. */
const line = (aheadSeconds: number) => `${process.ppid} ${bootSeconds() + aheadSeconds} host\n`;
/** Writes a worker that records each start. */
function plantWorker(): string {
  const worker = join(at.root, "worker.cjs");
  const report = JSON.stringify(join(at.root, "started"));
  writeFileSync(
    worker,
    `require("node:fs").appendFileSync(${report}, "x"); require("node:fs").writeFileSync(${report} + ".end", "")`,
  );
  return worker;
}

test("a worker is started unless one has promised to be awake or is starting", async () => {
  const worker = plantWorker();
  for (const file of [paths.lock, paths.starting]) {
    writeFileSync(file, line(3));
    await wake(paths, worker);
    expect(readFileSync(file, "utf8")).toBe(line(3));
    rmSync(file);
  }
  for (const content of [line(0), line(3_600), "garbage"]) {
    writeFileSync(paths.lock, content);
    writeFileSync(paths.starting, content);
    await wake(paths, worker);
    while (!existsSync(join(at.root, "started.end"))) await sleep(20);
    for (const file of ["started.end", "started"]) rmSync(join(at.root, file));
    expect(readFileSync(paths.starting, "utf8")).not.toBe(content);
  }
});

test("a worker starts detached from the hook, and a mark names it", async () => {
  const environmentFile = join(at.root, "told.json");
  const worker = join(at.root, "worker.cjs");
  writeFileSync(
    worker,
    `const { existsSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
     const { BECKON_HOME, BECKON_PROJECT, UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX } = process.env;
     const environment = { BECKON_HOME, BECKON_PROJECT, UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX };
     const stat = "/proc/self/stat";
     const session = existsSync(stat) ? readFileSync(stat, "utf8").split(") ")[1].split(" ")[3] : String(process.pid);
     const told = { pid: process.pid, session, cwd: process.cwd(), ...environment };
     writeFileSync(${JSON.stringify(`${environmentFile}.new`)}, JSON.stringify(told));
     renameSync(${JSON.stringify(`${environmentFile}.new`)}, ${JSON.stringify(environmentFile)});
     setTimeout(() => {}, 60_000);`,
  );
  await wake(paths, worker);
  while (!existsSync(environmentFile)) await sleep(20);
  const found = JSON.parse(readFileSync(environmentFile, "utf8")) as { readonly pid: number };
  process.kill(found.pid);
  const environment = { BECKON_HOME: paths.root, BECKON_PROJECT: process.cwd(), ...workerEnvironment };
  const { pid } = found;
  expect(found).toEqual({ pid, session: String(pid), cwd: realpathSync(at.root), ...environment });
  expect(readLockLine(paths.starting)).toMatchObject({ pid: found.pid });
  expect(statSync(paths.starting).mode & 0o777).toBe(0o600);
});

test("if no process can be started, the event waits silently", async () => {
  const program = buildProgram(
    join(at.root, "waker.cjs"),
    `import { resolvePaths } from "../files/paths.ts";
     import { wake } from "./wake.ts";
     process.execPath = "/no/such/node";
     const paths = resolvePaths(process.argv[2]);
     wake(paths, process.argv[1]).then(() => setTimeout(() => process.stdout.write("still here"), 100));`,
  );
  expect(await run(process.execPath, [program, at.root], "")).toMatchObject({
    exitCode: 0,
    stdout: "still here",
    stderr: "",
  });
  expect(existsSync(paths.starting)).toBe(false);
});
