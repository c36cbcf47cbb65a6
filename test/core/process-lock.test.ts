import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { withProcessLock } from "../../src/core/process-lock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

let path: string;
beforeEach(() => {
  path = join(freshFolder(), "install.lock");
});

test("a lock of a living process is respected until the wait is over", async () => {
  await withProcessLock(path, 100, async () => {
    const second = withProcessLock(path, 100, async () => "never");
    await expect(second).rejects.toMatchObject({ code: "settings.locked" });
  });
});

test.each([
  ["that is free", undefined],
  ["of a process that is gone", "4194305 1"],
  ["of a process number that is another's by now", `${process.pid} 1`],
])("of many who want a lock %s one has it at a time, and nothing of it is left", async (_, content) => {
  if (content) writeFileSync(path, content);
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

test("the lock is released when the work fails", async () => {
  await expect(withProcessLock(path, 100, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await withProcessLock(path, 100, async () => {});
});
