import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acquire } from "../../src/files/lock.ts";
import { isAwake } from "../../src/files/lock-line.ts";
import { claim, recover, waitingEntries } from "../../src/spool/claim.ts";
import { makeSpool, markLost, put } from "../../src/spool/put.ts";
import { requeueDead, settle } from "../../src/spool/settle.ts";
import { listLostSince, takeLost } from "../../src/spool/spool-state.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { fillDisk } from "../world/full-disk.ts";
import { repository } from "../world/home.ts";
import { record } from "../world/spool.ts";

// On a separate file system, which only root can mount.
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const clock = new FakeClock();

let disk: string;
let spool: string;
beforeEach(() => {
  if (!isRoot) return;
  disk = join(freshFolder(), "disk");
  spool = join(disk, "spool");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]);
  mkdirSync(spool);
  makeSpool(spool);
});
afterEach(() => {
  if (isRoot) execFileSync("umount", ["-l", disk]);
});

const held = (id: string) => {
  const taken = claim(spool, { id, crashes: 0 });
  if (!taken) throw new Error(`${id} does not exist`);
  return taken;
};

describe.runIf(isRoot)("on a full disk", () => {
  test("the lock is taken, held by one process and released without leftovers", async () => {
    const lock = join(spool, "worker.lock");
    fillDisk(disk);
    const first = await acquire(lock, clock);
    expect(first?.isHeld()).toBe(true);
    const taking = acquire(lock, clock);
    await clock.advance(1_500);
    expect(await taking).toBeUndefined();
    expect(first?.isHeld()).toBe(true);
    first?.release();
    expect(readdirSync(spool).filter((file) => file.startsWith("worker"))).toEqual([]);
    expect((await acquire(lock, clock))?.isHeld()).toBe(true);
  });

  test("the lock names its holder once space is freed", async () => {
    const lock = join(spool, "worker.lock");
    const free = fillDisk(disk);
    const taken = await acquire(lock, clock);
    expect(isAwake(lock)).toBe(false);
    free();
    await clock.advance(1_000);
    expect(isAwake(lock)).toBe(true);
    expect(taken?.isHeld()).toBe(true);
    taken?.release();
  });

  test("the state of a waiting event stays in memory, and counts as a crash for the next process", () => {
    put(spool, "one", record("Stop", "before"));
    const claimed = held("one");
    const free = fillDisk(disk);
    settle(spool, claimed, { next: "wait", dueAtMs: 5, record: record("Stop", "sent to one of two") });
    const [waiting] = waitingEntries(spool);
    expect(waiting).toMatchObject({ id: "one", crashes: 1, dueAtMs: 5 });
    const again = waiting && claim(spool, waiting);
    expect(again?.bytes.toString()).toBe(record("Stop", "sent to one of two").toString());
    expect(readFileSync(again?.file ?? "", "utf8")).toBe(record("Stop", "before").toString());
    free();
    if (again) settle(spool, again, { next: "wait", dueAtMs: 6, record: record("Stop", "later") });
    expect(readFileSync(join(spool, "cur/one.t6.json"), "utf8")).toBe(record("Stop", "later").toString());
    expect(claim(spool, { id: "one", crashes: 0, dueAtMs: 6 })?.bytes.toString()).toContain("later");
  });

  test("an event is done or a dead letter, and no torn file is left", () => {
    for (const id of ["one", "two"]) put(spool, id, record());
    const [taken, two] = [held("one"), held("two")];
    fillDisk(disk);
    settle(spool, taken, { next: "done" });
    settle(spool, two, { next: "dead", record: Buffer.alloc(8192, "x") });
    expect(readdirSync(join(spool, "dead"))).toEqual(["two.json"]);
    expect(readdirSync(join(spool, "tmp"))).toEqual([]);
    expect(recover(spool)).toEqual([]);
  });

  test("an event that the launcher cannot store leaves a mark", () => {
    fillDisk(disk);
    const env = { PATH: "/usr/bin:/bin", HOME: disk, BECKON_HOME: disk };
    const input = join(freshFolder(), "input"); // a launcher that cannot store need not read, which would break a pipe
    writeFileSync(input, JSON.stringify({ message: "x".repeat(20_000) }));
    const hook = join(repository, "hooks", "hook.sh");
    const line = 'exec "$0" Stop --agent claude < "$1"';
    for (let count = 0; count < 3; count += 1) execFileSync("sh", ["-c", line, hook, input], { env });
    expect(takeLost(spool, Date.now())).toHaveLength(3);
  });

  test("an event that cannot be stored or requeued throws and leaves nothing behind", () => {
    put(spool, "one", record());
    settle(spool, held("one"), { next: "dead" });
    fillDisk(disk);
    expect(() => put(spool, "two", Buffer.alloc(8192, "x"))).toThrow("ENOSPC");
    expect(() => requeueDead(spool, "one", Buffer.alloc(8192, "x"))).toThrow("ENOSPC");
    const left = ["tmp", "new", "dead"].map((folder) => readdirSync(join(spool, folder)));
    expect(left).toEqual([[], [], ["one.json"]]);
  });
});

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
