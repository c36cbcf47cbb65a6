import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acquire, type Lock } from "../../src/spool/lock.ts";
import { livingWorker } from "../../src/spool/wake.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { createSpool, type TestSpool, takeWorkerTitle } from "../world/spool.ts";

let at: TestSpool;
let lock: string;
let clock: FakeClock;
let held: (Lock | undefined)[];

beforeEach(() => {
  takeWorkerTitle();
  at = createSpool();
  clock = new FakeClock();
  lock = join(at.spool, "worker.lock");
  held = [];
});
afterEach(() => {
  for (const one of held) one?.release();
});

function take(): Lock | undefined {
  const one = acquire(lock, { clock });
  held.push(one);
  return one;
}

function planted(content: string, modifiedAtMs = Date.now()): void {
  writeFileSync(lock, content);
  utimesSync(lock, modifiedAtMs / 1000, modifiedAtMs / 1000);
}

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn("true", { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}

/** No temporary file of a lock is left. */
function expectNoLeftovers(): void {
  expect(readdirSync(dirname(lock)).filter((file) => file.startsWith("worker.lock."))).toEqual([]);
}

describe("a lock", () => {
  test("is held by the first to acquire it, and by a second one only after its release", () => {
    const first = take();
    expect(first?.isHeld()).toBe(true);
    expect(take()).toBeUndefined();
    first?.release();
    expect(first?.isHeld()).toBe(false);
    expect(existsSync(lock)).toBe(false);
    expect(take()?.isHeld()).toBe(true);
    expectNoLeftovers();
  });

  test("names its holder, 0600", () => {
    take();
    expect(readFileSync(lock, "utf8")).toMatch(new RegExp(`^${process.pid} \\S+ ${hostname()}\\n$`));
    expect(statSync(lock).mode & 0o777).toBe(0o600);
    expect(livingWorker(lock)).toBe(process.pid);
  });

  test("is renewed every second while it is held", async () => {
    const one = take();
    utimesSync(lock, 1, 1);
    await clock.advance(999);
    expect(statSync(lock).mtimeMs).toBe(1_000);
    await clock.advance(1);
    expect(statSync(lock).mtimeMs).toBeGreaterThan(1_000);
    one?.release();
    expect(clock.nextMs).toBeUndefined();
  });

  test("is renewed by a question whether it is held, long before a second is over", () => {
    const one = take();
    utimesSync(lock, 1, 1);
    clock.skip(49);
    expect(one?.isHeld()).toBe(true);
    expect(statSync(lock).mtimeMs).toBe(1_000);
    clock.skip(1);
    expect(one?.isHeld()).toBe(true);
    expect(statSync(lock).mtimeMs).toBeGreaterThan(1_000);
  });

  test("that was taken over is neither renewed nor released by its former holder", async () => {
    const one = take();
    planted(`${process.pid} other ${hostname()}\n`, 1_000);
    expect(one?.isHeld()).toBe(false);
    await clock.advance(1_000);
    expect(statSync(lock).mtimeMs).toBe(1_000);
    one?.release();
    expect(existsSync(lock)).toBe(true);
  });

  test("that is released twice leaves the next holder's alone", () => {
    const first = take();
    first?.release();
    const second = take();
    first?.release();
    expect(second?.isHeld()).toBe(true);
  });
});

describe("a lock is stale", () => {
  test.each<[string, string, number, boolean]>([
    ["of a living worker, fresh", `${process.pid} x ${hostname()}\n`, 0, false],
    ["of a living worker that has hung for long", `${process.pid} x ${hostname()}\n`, -10_100, true],
    ["of a living worker, renewed in the far future", `${process.pid} x ${hostname()}\n`, 60_000, true],
    ["of a living worker, renewed a little ahead", `${process.pid} x ${hostname()}\n`, 5_000, false],
    ["of another host, fresh", "1 x another-host\n", 0, false],
    ["of another host, old", "1 x another-host\n", -10_100, true],
    ["of another host, from the future", "1 x another-host\n", 3_600_000, true],
    ["of a process that is no worker (its number was reused)", `1 x ${hostname()}\n`, 0, true],
    ["of no process", `0 x ${hostname()}\n`, 0, true],
    ["of a negative number", `-1 x ${hostname()}\n`, 0, true],
    ["empty and fresh", "", 0, false],
    ["empty and old", "", -10_100, true],
    ["garbage and old", "\0\0\0", -10_100, true],
  ])("%s", (_, content, ageMs, isStale) => {
    planted(content, Date.now() + ageMs);
    const one = take();
    expect(one !== undefined).toBe(isStale);
    if (one) expect(one.isHeld()).toBe(true);
    else expect(readFileSync(lock, "utf8")).toBe(content);
    expectNoLeftovers();
  });

  test("of a dead process", async () => {
    planted(`${await deadPid()} x ${hostname()}\n`);
    expect(take()?.isHeld()).toBe(true);
  });

  test("even if a process died while taking it over", async () => {
    planted(`${await deadPid()} x ${hostname()}\n`);
    writeFileSync(`${lock}.turn`, `${await deadPid()} y ${hostname()}\n`);
    expect(take()?.isHeld()).toBe(true);
    expectNoLeftovers();
  });

  test("but left to the process that is taking it over now", async () => {
    planted(`${await deadPid()} x ${hostname()}\n`);
    writeFileSync(`${lock}.turn`, `${process.pid} y ${hostname()}\n`);
    expect(take()).toBeUndefined();
  });
});
