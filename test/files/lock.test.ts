import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acquire, type Lock, withLock } from "../../src/files/lock.ts";
import { bootSeconds, isAwake, lockLine, readLockLine } from "../../src/files/lock-line.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { useFolder } from "../world/fresh-folder.ts";

const at = useFolder();
let file: string;
let clock: FakeClock;
let held: (Lock | undefined)[];
beforeEach(() => {
  file = at("worker.lock");
  clock = new FakeClock();
  held = [];
});
afterEach(() => {
  for (const lock of held) lock?.release();
});

async function take(): Promise<Lock | undefined> {
  const lock = await acquire(file, clock);
  held.push(lock);
  return lock;
}

/** Tries to take the lock while its holder is watched. `meanwhile` happens after a second. */
async function takePatiently(meanwhile: () => void = () => {}): Promise<Lock | undefined> {
  const taking = take();
  await clock.advance(1_000);
  meanwhile();
  await clock.advance(2_000);
  return taking;
}

/** Makes the line of a process whose promise ends `aheadSeconds` seconds from now. */
const line = (pid: number, aheadSeconds: number, host = hostname()) =>
  `${pid} ${bootSeconds() + aheadSeconds} ${host}\n`;
const deadPid = spawnSync("true").pid;
/** Number of a running process: this one's parent. */
const livingPid = process.ppid;

describe("a lock", () => {
  test("is held by the first to acquire it, and by a second one only after its release", async () => {
    const first = await take();
    expect(first?.isHeld()).toBe(true);
    expect(await take()).toBeUndefined();
    first?.release();
    expect(first?.isHeld()).toBe(false);
    expect(existsSync(file)).toBe(false);
    expect((await take())?.isHeld()).toBe(true);
    expect(readdirSync(at())).toEqual(["worker.lock"]);
  });

  test("names its holder and the end of its promise to stay awake, with mode 0600", async () => {
    await take();
    expect(readFileSync(file, "utf8")).toMatch(new RegExp(`^${process.pid} [ \\d]{10} ${hostname()}\\n$`));
    const { untilSeconds = 0, ...rest } = readLockLine(file) ?? {};
    expect(rest).toEqual({ pid: process.pid, host: hostname() });
    expect(untilSeconds - bootSeconds()).toBeOneOf([3, 4]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(isAwake(file)).toBe(true);
  });

  test("is renewed every second, in place, while it is held", async () => {
    const lock = await take();
    const { ino } = statSync(file);
    writeFileSync(file, line(process.pid, -9));
    await clock.advance(999);
    expect(isAwake(file)).toBe(false);
    await clock.advance(1);
    expect(isAwake(file)).toBe(true);
    expect(statSync(file).ino).toBe(ino);
    lock?.release();
    expect(clock.nextMs).toBeUndefined();
  });

  test("is renewed by `isHeld` if the timer is a second late", async () => {
    const lock = await take();
    writeFileSync(file, line(process.pid, -9));
    clock.skip(999);
    expect(lock?.isHeld()).toBe(true);
    expect(isAwake(file)).toBe(false);
    clock.skip(1);
    expect(lock?.isHeld()).toBe(true);
    expect(isAwake(file)).toBe(true);
  });

  test("that was taken over is neither renewed nor released by its former holder", async () => {
    const lock = await take();
    const others = line(livingPid, -9);
    writeFileSync(file, others);
    expect(lock?.isHeld()).toBe(false);
    await clock.advance(1_000);
    lock?.release();
    expect(readFileSync(file, "utf8")).toBe(others);
  });

  test("that is released twice leaves the next holder's alone", async () => {
    const first = await take();
    first?.release();
    const second = await take();
    first?.release();
    expect(second?.isHeld()).toBe(true);
  });
});

test("a lock whose holder is gone, or that is not a file, is taken over at once", async () => {
  const rows: readonly (readonly [string, () => void])[] = [
    ["a dead process", () => writeFileSync(file, line(deadPid, 4))],
    ["a dead process, long ago", () => writeFileSync(file, line(deadPid, -99))],
    ["a folder", () => mkdirSync(file)],
    ["a link", () => symlinkSync("elsewhere", file)],
    ["a pipe", () => spawnSync("mkfifo", [file])],
    [
      "a dead process, and another died while taking it over",
      () => {
        writeFileSync(file, line(deadPid, 4));
        writeFileSync(`${file}.turn`, line(deadPid, 4));
      },
    ],
  ];
  const failures = await collectFailures(rows, async ([, plant]) => {
    plant();
    const lock = await take();
    expect(lock?.isHeld()).toBe(true);
    lock?.release();
    expect(readdirSync(at()).filter((name) => name.startsWith("worker.lock."))).toEqual([]);
  });
  expect(failures).toEqual([]);
});

test("a lock of a possibly live holder is taken over after two missed heartbeats", async () => {
  const rows: readonly (readonly [string, string])[] = [
    ["a live process that is late", line(livingPid, 0)],
    ["a live process whose promise is too far ahead", line(livingPid, 3_600)],
    ["another host's process, by its clock", line(deadPid, 900, "another-host")],
    ["an older version's live worker", `${livingPid} ${livingPid}-token ${hostname()}\n`],
    ["an empty file", ""],
    ["garbage", "\0".repeat(65_536)],
    ["a line with more behind it", line(livingPid, 4).padEnd(600, " ")],
    ["a negative number", line(-1, 4)],
    ["not a process", line(0, 4)],
  ];
  const failures = await collectFailures(rows, async ([, content]) => {
    writeFileSync(file, content);
    expect(await takePatiently(() => writeFileSync(file, line(livingPid, -9)))).toBeUndefined();
    writeFileSync(file, content);
    utimesSync(file, 1, 1);
    const touched = takePatiently(() => utimesSync(file, 2, 2)); // the heartbeat of an older version
    expect(await touched).toBeUndefined();
    const taking = take();
    await clock.advance(2_249);
    expect(readFileSync(file, "utf8")).toBe(content);
    await clock.advance(500);
    const lock = await taking;
    expect(lock?.isHeld()).toBe(true);
    lock?.release();
  });
  expect(failures).toEqual([]);
});

test("a lock released while its holder is watched is free at the next poll", async () => {
  writeFileSync(file, line(livingPid, 0));
  expect(await takePatiently(() => spawnSync("rm", [file]))).toBeUndefined();
  expect((await take())?.isHeld()).toBe(true);
});

test("a lock is left to the process that is taking it over", async () => {
  writeFileSync(file, line(deadPid, 4));
  writeFileSync(`${file}.turn`, line(livingPid, 4));
  expect(await take()).toBeUndefined();
});

test("a lock's line counts only from a running process, and for the next four seconds", async () => {
  const rows: readonly (readonly [string, boolean])[] = [
    [line(livingPid, 4), true],
    [line(livingPid, 1), true],
    [line(livingPid, 5), false],
    [line(livingPid, 0), false],
    [line(livingPid, -1), false],
    [line(deadPid, 4), false],
    [`${livingPid} ${bootSeconds() + 4} .\n`, true],
    [`${livingPid} ${bootSeconds() + 4}\n`, false],
    [line(livingPid, 4).trimEnd(), false],
    [`0${line(livingPid, 4)}`, false],
    [`${lockLine(livingPid)}${lockLine(livingPid)}`, false],
    ["", false],
    ["\0".repeat(65_536), false],
  ];
  const failures = await collectFailures(rows, ([content, expected]) => {
    writeFileSync(file, content);
    expect(isAwake(file)).toBe(expected);
  });
  expect(failures).toEqual([]);
  expect(isAwake(at("none"))).toBe(false);
  expect(isAwake(at())).toBe(false);
});

describe("work under a lock", () => {
  test("never overlaps, and leaves nothing behind", async () => {
    let [running, most, isDone] = [0, 0, false];
    const works = Array.from({ length: 8 }, () =>
      withLock(file, { clock, waitMs: 60_000 }, async () => {
        running += 1;
        most = Math.max(most, running);
        await clock.wait(10);
        running -= 1;
      }),
    );
    const all = Promise.all(works).finally(() => {
      isDone = true;
    });
    while (!isDone) await clock.advance(50);
    await all;
    expect(most).toBe(1);
    expect(readdirSync(at())).toEqual([]);
  });

  test("is refused after the longest wait for a live process", async () => {
    await take();
    const refused = expect(withLock(file, { clock, waitMs: 100 }, async () => "never")).rejects.toMatchObject({
      code: "settings.locked",
    });
    await clock.advance(200);
    await refused;
  });

  test("is refused if there can be no lock", async () => {
    const nowhere = join("/dev/null", "lock");
    await expect(withLock(nowhere, { clock, waitMs: 100 }, async () => "never")).rejects.toMatchObject({
      code: "settings.write",
    });
  });

  test("releases the lock when it fails", async () => {
    await expect(withLock(file, { clock, waitMs: 0 }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(existsSync(file)).toBe(false);
  });
});
