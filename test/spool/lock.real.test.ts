import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClock } from "../../src/io/clock.ts";
import { acquire } from "../../src/spool/lock.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { takeWorkerTitle } from "../world/spool.ts";

const clock = createClock();
let disk: string;

/** A disk that knows no hard links, and no modes. */
beforeEach(() => {
  takeWorkerTitle();
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

test("a lock on a file system without hard links is held by one worker, and taken over from a dead one", () => {
  const lock = join(disk, "worker.lock");
  const first = acquire(lock, { clock });
  expect(first?.isHeld()).toBe(true);
  expect(acquire(lock, { clock })).toBeUndefined();
  first?.release();
  writeFileSync(lock, `999999999 of-a-dead-one ${hostname()}`);
  const second = acquire(lock, { clock });
  expect(second?.isHeld()).toBe(true);
  expect(readFileSync(lock, "utf8")).toMatch(new RegExp(`^${process.pid} `));
  second?.release();
  expect(readdirSync(disk)).toEqual([]);
});
