import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { withProcessLock } from "../../src/core/process-lock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

const lockPath = () => join(freshFolder(), "install.lock");

test("work under one lock never overlaps", async () => {
  const path = lockPath();
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(10);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => withProcessLock(path, 5000, work)));
  expect(most).toBe(1);
  expect(readdirSync(dirname(path))).toEqual([]);
});

test("a lock of a living process is respected until the wait is over", async () => {
  const path = lockPath();
  await withProcessLock(path, 100, async () => {
    const second = withProcessLock(path, 100, async () => "never");
    await expect(second).rejects.toMatchObject({ code: "settings.locked" });
  });
});

test.each([
  ["a process that is gone", "4194305 1"],
  ["a process number that is another's by now", `${process.pid} 1`],
])("a lock of %s is taken over, by one process", async (_, content) => {
  const path = lockPath();
  writeFileSync(path, content);
  let running = 0;
  const work = async () => {
    running += 1;
    expect(running).toBe(1);
    await sleep(5);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => withProcessLock(path, 3000, work)));
});

test("the lock is released when the work fails", async () => {
  const path = lockPath();
  await expect(withProcessLock(path, 100, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await withProcessLock(path, 100, async () => {});
});
