import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ageMsOf } from "../../src/spool/reader-of.ts";
import { encodeRecord, launcherOf } from "../../src/spool/record.ts";
import { sweepTemporary } from "../../src/spool/sweep.ts";
import { outlastReaders, type ReaderWatch, watchReaders } from "../../src/spool/watch-readers.ts";
import { createSpool, record, type TestSpool } from "../world/spool.ts";

let at: TestSpool;
let watching: string;
let watch: ReaderWatch;
const children: ChildProcess[] = [];
beforeEach(() => {
  at = createSpool();
  watching = join(at.spool, "worker.watching");
});
afterEach(() => {
  watch.stop();
  for (const { pid } of children.splice(0)) killGroup(pid);
});

const begin = () => {
  watch = watchReaders({ spool: at.spool, watching });
};
const pathOf = (name: string) => join(at.spool, "tmp", name);

/** A launcher: it has a file open for writing, as has what it reads with, and hears no signal before that has ended. */
function startLauncher(file: string): ChildProcess {
  const child = spawn("sh", ["-c", "trap 'echo asked' TERM; sleep 600; exit 7"], {
    stdio: ["ignore", openSync(file, "a"), "ignore"],
    detached: true,
  });
  children.push(child);
  return child;
}

/** Whether the reading of a launcher is ended within three seconds. */
async function isEnded(child: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < 30 && child.exitCode === null; tries += 1) await sleep(100);
  return child.exitCode === 7;
}

const unended = (hook: number) => `{"v":1,"hook":${hook},"event":"Stop","agent":"claude","cwd":"/"}\n{"a":`;

function killGroup(pid = 0): void {
  try {
    if (pid > 0) process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

test("the reading of a launcher is ended that has its record open for more than two seconds, and no other", async () => {
  const files = ["reading", "of-nobody", "whole"].map(pathOf);
  const [reading, elsewhere, whole] = files.map(startLauncher) as [ChildProcess, ChildProcess, ChildProcess];
  writeFileSync(pathOf("reading"), unended(reading.pid ?? 0));
  writeFileSync(pathOf("named"), unended(elsewhere.pid ?? 0));
  writeFileSync(pathOf("whole"), `${unended(whole.pid ?? 0)}1}\n{"end":0}\n`);
  begin();
  await sleep(1_000);
  expect(reading.exitCode).toBeNull();
  expect(await isEnded(reading)).toBe(true);
  expect([elsewhere, whole].map(({ exitCode }) => exitCode)).toEqual([null, null]);
  expect(readFileSync(pathOf("reading"), "utf8")).not.toContain("asked"); // what it had to write it writes itself
});

test("an object that lacks only its end is not taken from a launcher that is to be ended, but from a dead one", async () => {
  const launcher = startLauncher(pathOf("one"));
  const header = `{"v":1,"hook":${launcher.pid},"event":"Stop","agent":"claude","cwd":"/"}`;
  at.write("tmp/one", Buffer.from(`${header}\n{"a":1}`), Date.now() - 10_000);
  sweepTemporary(at.spool, Date.now());
  expect(at.files()).toEqual(["tmp/one"]);
  const exit = new Promise((resolve) => launcher.on("exit", resolve));
  killGroup(launcher.pid);
  await exit;
  sweepTemporary(at.spool, Date.now());
  expect(at.files()).toEqual(["new/one.json"]);
  begin();
});

test("the promise is a file's time, in the near future as long as it is kept", async () => {
  begin();
  const aheadMs = () => statSync(watching).mtimeMs - Date.now();
  expect(statSync(watching).mode & 0o777).toBe(0o600);
  for (let looks = 0; looks < 3; looks += 1) {
    expect(aheadMs()).toBeGreaterThan(1_000);
    expect(aheadMs()).toBeLessThanOrEqual(3_000);
    await sleep(600);
  }
  watch.stop();
  expect(existsSync(watching)).toBe(false);
  await sleep(600);
  expect(existsSync(watching)).toBe(false);
});

test("a worker is needed while a record has no end, but not for one that a dead launcher has left", async () => {
  begin();
  expect(watch.isNeeded()).toBe(false);
  at.write("tmp/whole", record());
  writeFileSync(pathOf("one.settle"), "");
  expect(watch.isNeeded()).toBe(false);
  writeFileSync(pathOf("just-created"), "");
  expect(watch.isNeeded()).toBe(true);
  await sleep(4_100);
  expect(watch.isNeeded()).toBe(false);
});

test("where nothing can be written or read, nothing fails", async () => {
  const spool = join(at.spool, "missing");
  watch = watchReaders({ spool, watching: join(spool, "worker.watching") });
  expect(watch.isNeeded()).toBe(false);
  await sleep(600); // for one more look
  await outlastReaders({ spool });
});

test("a worker that must leave stays while a launcher of this user's is reading", async () => {
  begin();
  watch.stop();
  const launcher = startLauncher(pathOf("reading"));
  writeFileSync(pathOf("reading"), unended(launcher.pid ?? 0));
  writeFileSync(pathOf("named"), unended(process.pid));
  await outlastReaders({ spool: at.spool });
  expect(await isEnded(launcher)).toBe(true);
});

test.each([
  ["a launcher's number", '{"v":1,"hook":4711,"event"', 4711],
  ["none", '{"v":1,"event":"Stop","hook":4711', undefined],
  ["one that is no number of a process", '{"v":1,"hook":0,"event"', undefined],
  ["part of one", '{"v":1,"hook":47', undefined],
  ["a relayed record's", '{"v":2,"hook":4711,"event"', undefined],
  ["nothing", "", undefined],
])("%s is read from a record's first bytes", (_, text, pid) => {
  expect(launcherOf(Buffer.from(text))).toBe(pid);
});

test.each([
  ["its creation, however lately it was written to", { birthtimeMs: 5_000, mtimeMs: 1_000 }, 5_000],
  ["its last change, where the file system knows no creation", { birthtimeMs: Number.NaN, mtimeMs: 1_000 }, 1_000],
  ["its creation by a clock that was set back since", { birthtimeMs: -5_000, mtimeMs: -5_000 }, 5_000],
])("the age of a record is that of %s", (_, agoMs, expectedMs) => {
  const at = (ms: number) => (Number.isNaN(ms) ? 0 : Date.now() - ms);
  const ageMs = ageMsOf({ birthtimeMs: at(agoMs.birthtimeMs), mtimeMs: at(agoMs.mtimeMs) });
  expect(Math.abs(ageMs - expectedMs)).toBeLessThan(1_000);
});

test("the entrypoint's records name no launcher", () => {
  expect(launcherOf(encodeRecord({ v: 1, event: "Stop" }, Buffer.from("{}")))).toBeUndefined();
});
