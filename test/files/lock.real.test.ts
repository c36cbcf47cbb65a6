import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquire } from "../../src/files/lock.ts";
import { createClock } from "../../src/io/clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

const clock = createClock();
let disk: string;

/** Mounts a disk without hard links and modes. */
beforeEach(() => {
  const home = freshFolder();
  disk = join(home, "disk");
  mkdirSync(disk);
  const image = join(home, "image");
  writeFileSync(image, "");
  truncateSync(image, 16 * 1024 * 1024);
  execFileSync("/usr/sbin/mkfs.vfat", [image], { stdio: "ignore" });
  execFileSync("fusefat", ["-o", "rw+", image, disk], { stdio: "ignore", env: { ...process.env, TZ: "UTC" } });
});
afterEach(() => execFileSync("umount", ["-l", disk]));

test("a lock without hard links has one holder, and is taken over from a dead one", async () => {
  const lock = join(disk, "worker.lock");
  const first = await acquire(lock, clock);
  expect(first?.isHeld()).toBe(true);
  expect(await acquire(lock, clock)).toBeUndefined();
  first?.release();
  writeFileSync(lock, `999999999 1 ${hostname()}\n`);
  const second = await acquire(lock, clock);
  expect(second?.isHeld()).toBe(true);
  expect(readFileSync(lock, "utf8")).toMatch(new RegExp(`^${process.pid} `));
  second?.release();
  expect(readdirSync(disk)).toEqual([]);
});
