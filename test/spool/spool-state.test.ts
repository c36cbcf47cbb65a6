import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeSpool, markLost } from "../../src/spool/put.ts";
import { listLostSince, takeLost } from "../../src/spool/spool-state.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { fillDisk } from "../world/full-disk.ts";
import { repository } from "../world/home.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;

test("a lost event is listed for the journal once, and counted until it is swept", () => {
  const spool = freshFolder();
  makeSpool(spool);
  writeFileSync(join(spool, "worker.lock"), "");
  markLost(spool, "one");
  markLost(spool, "one");
  expect(takeLost(spool, Date.now()).map(({ id }) => id)).toEqual(["one"]);
  expect(takeLost(spool, Date.now())).toEqual([]);
  markLost(spool, "two");
  expect(listLostSince(spool, 0).map(({ id }) => id)).toEqual(["one", "two"]);
  expect(listLostSince(spool, Date.now() + 60_000)).toEqual([]);
  expect(listLostSince(join(spool, "missing"), 0)).toEqual([]);
  expect(takeLost(spool, Date.now() + 31 * 24 * 3_600_000).map(({ id }) => id)).toEqual(["two"]);
  expect(listLostSince(spool, 0)).toEqual([]);
});

test.runIf(isRoot)("an event that the launcher cannot store on a full disk leaves a mark", () => {
  const disk = join(freshFolder(), "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]);
  try {
    makeSpool(join(disk, "spool"));
    fillDisk(disk);
    const env = { PATH: "/usr/bin:/bin", HOME: disk, BECKON_HOME: disk };
    const input = join(freshFolder(), "input"); // a launcher that cannot store need not read, which would break a pipe
    writeFileSync(input, JSON.stringify({ message: "x".repeat(20_000) }));
    const hook = join(repository, "hooks", "hook.sh");
    const line = 'exec "$0" Stop --agent claude < "$1"';
    for (let count = 0; count < 3; count += 1) execFileSync("sh", ["-c", line, hook, input], { env });
    expect(takeLost(join(disk, "spool"), Date.now())).toHaveLength(3);
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
});
