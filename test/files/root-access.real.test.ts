import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resolvePaths } from "../../src/files/paths.ts";
import { dist, killHomeWorker, removeRoot, run, sleep } from "../world/home.ts";

let home: string;
let root: string;

/** Makes a file system in which everything is open and stays open, as on Windows' drives in WSL, or vfat. */
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "beckon-modeless-"));
  root = join(home, "drive");
  for (const folder of ["files", "drive"]) mkdirSync(join(home, folder));
  execFileSync("bindfs", ["--perms=0777", "--chmod-ignore", "--chown-ignore", join(home, "files"), root]);
});
afterEach(async () => {
  await killHomeWorker(resolvePaths(root).lock); // or it would go on below the mount point
  execFileSync("umount", ["-l", root]);
  await removeRoot(root, home);
});

test("a root on a file system without permissions is used, and install and doctor explain it", async () => {
  const env = { PATH: process.env["PATH"], HOME: home, BECKON_HOME: root };
  const beckon = (...args: readonly string[]) => run(process.execPath, [join(dist, "cli.js"), ...args], "", { env });
  const message = join(home, "message");
  const config = { notifiers: { file: { type: "command", run: ["tee", message] } } };
  writeFileSync(join(root, "config.jsonc"), JSON.stringify(config));
  const remark = `${root} is on a file system without permissions: other users may read and change what is there`;
  const { stdout } = await beckon("install", "--yes", "--agent", "claude");
  expect(stdout).toContain(`Note: ${remark}. If others use this machine, set BECKON_HOME to`);
  const doctor = (await beckon("doctor")).stdout;
  expect(doctor).toContain(remark.replace(/^\S*\/drive/, "~/drive"));
  expect(doctor).not.toMatch(/chmod|open to other users/);
  await run(resolvePaths(root).launcher, ["Stop", "--agent", "claude"], '{"session_id":"s1"}', { env });
  for (let tries = 0; tries < 400 && !existsSync(message); tries += 1) await sleep(25);
  expect(existsSync(message)).toBe(true);
});
