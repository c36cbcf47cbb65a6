import { execFileSync } from "node:child_process";
import fs, { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeRecord, endOfRecord, type RecordHeader } from "../../src/spool/record.ts";
import { evict, spoolBounds, sweepDead, sweepLockFiles, sweepTemporary } from "../../src/spool/sweep.ts";
import { record, useSpool } from "../world/spool.ts";

const nowMs = Date.now();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const at = useSpool();

/** Makes a record as a launcher leaves it if it is killed while its standard input is open. */
function endless(payload: string): Buffer {
  return record("Stop", payload).subarray(0, -endOfRecord.length);
}

describe("launchers' files in tmp/", () => {
  test.each<[string, Buffer, number, string[]]>([
    ["a whole record is moved at once", record(), 0, ["new/one.json"]],
    ["a partial record is left to its launcher for three seconds", record().subarray(0, -1), 2_900, ["tmp/one"]],
    ["a whole record is moved after days", record(), 9 * dayMs, ["new/one.json"]],
    ["a whole record from the future is moved: the clock was set back", record(), -hourMs, ["new/one.json"]],
    ["a partial record is kept for an hour", record().subarray(0, 30), hourMs - 1_000, ["tmp/one"]],
    ["a partial record is deleted after an hour", record().subarray(0, 30), hourMs + 1_000, []],
    ["an empty file is deleted after an hour", Buffer.alloc(0), hourMs + 1_000, []],
    ["a whole object without the end line is left for three seconds", endless("{}"), 2_900, ["tmp/one"]],
    ["a whole object without the end line is moved after three seconds", endless('{"a":1}'), 3_100, ["new/one.json"]],
    ["part of an object is not an event", endless('{"a":'), 3_100, ["tmp/one"]],
    ["a header alone is not an event", endless(""), 3_100, ["tmp/one"]],
    ["an array is not an event", endless("[1]"), 3_100, ["tmp/one"]],
    ["a record of a newer version stays", Buffer.from('{"v":3,"event":"Stop"}\nanything'), 9 * dayMs, ["tmp/one"]],
  ])("%s", (_, bytes, ageMs, files) => {
    at.write("tmp/one", bytes, nowMs - ageMs);
    sweepTemporary(at.spool, nowMs);
    expect(at.files()).toEqual(files);
  });

  test("are whole once moved, with their arrival time, even if the launcher still writes", () => {
    at.write("tmp/one", endless('{"a":1}'), nowMs - 60_000);
    const launcher = fs.openSync(join(at.spool, "tmp/one"), "r+");
    sweepTemporary(at.spool, nowMs);
    const moved = join(at.spool, "new/one.json");
    expect(decodeRecord(readFileSync(moved))).toMatchObject({ end: 0, payload: Buffer.from('{"a":1}') });
    expect(Math.abs(statSync(moved).mtimeMs - (nowMs - 60_000))).toBeLessThan(1);
    for (const end of [0, 124]) {
      fs.writeSync(launcher, `\n{"end":${end}}\n`, endless('{"a":1}').length);
      expect(decodeRecord(readFileSync(moved))).toMatchObject({ end, payload: Buffer.from('{"a":1}') });
    }
    fs.closeSync(launcher);
  });

  test("include those of dead workers whose events are elsewhere, not those being written", () => {
    at.write("tmp/one.settle", record(), nowMs - 3_000);
    at.write("tmp/two.settle", record(), nowMs);
    sweepTemporary(at.spool, nowMs);
    expect(at.files()).toEqual(["tmp/two.settle"]);
  });

  test("are swept despite foreign files", () => {
    mkdirSync(join(at.spool, "tmp/folder"));
    execFileSync("mkfifo", [join(at.spool, "tmp/pipe")]);
    symlinkSync("/dev/zero", join(at.spool, "tmp/link"));
    at.write("tmp/huge", "", nowMs - 3_000);
    truncateSync(join(at.spool, "tmp/huge"), 3 * 2 ** 30);
    at.write("tmp/one", record(), nowMs - 3_000);
    sweepTemporary(at.spool, nowMs + 2 * hourMs);
    expect(at.files()).toEqual(["tmp/folder", "tmp/link", "tmp/pipe", "new/one.json"]);
  });
});

test("temporary lock files are deleted after a minute, the lock itself never", () => {
  const ages = { "": 9 * dayMs, ".7-young": 50_000, ".7-old": 70_000, ".turn": -hourMs };
  for (const [suffix, ageMs] of Object.entries(ages)) at.write(`worker.lock${suffix}`, "", nowMs - ageMs);
  sweepLockFiles(join(at.spool, "worker.lock"), nowMs);
  const left = readdirSync(at.spool).filter((file) => file.startsWith("worker"));
  expect(left).toEqual(["worker.lock", "worker.lock.7-young"]);
});

describe("dead letters", () => {
  test("are kept for thirty days", () => {
    at.write("dead/young.json", "", nowMs - 29 * dayMs);
    at.write("dead/old.json", "", nowMs - 31 * dayMs);
    sweepDead(at.spool, nowMs);
    expect(at.files()).toEqual(["dead/young.json"]);
  });

  test("are limited to the newest two hundred", () => {
    for (let index = 0; index < 210; index += 1) at.write(`dead/e${index}.json`, "", nowMs - index * 1_000);
    sweepDead(at.spool, nowMs);
    expect(at.files()).toHaveLength(spoolBounds.dead);
    expect(at.files()).toContain("dead/e199.json");
    expect(at.files()).not.toContain("dead/e200.json");
  });
});

const urgencies: Readonly<Record<string, number>> = { Notification: 2, Stop: 1, Held: Number.POSITIVE_INFINITY };
const evictNow = () => evict(at.spool, (header: RecordHeader | undefined) => urgencies[header?.event ?? ""] ?? 0);
const evictedIds = () => evictNow().map(({ id }) => id);

/** Writes records that wait for a retry. */
function fill(count: number, event: string, prefix: string, startMs: number, payload = "{}"): void {
  for (let index = 0; index < count; index += 1) {
    at.write(`cur/${prefix}${index}.t5.json`, record(event, payload), startMs + index * 10);
  }
}

/** Writes records that were never tried. */
function fillNew(count: number, event: string, prefix: string, startMs: number): void {
  for (let index = 0; index < count; index += 1) {
    at.write(`new/${prefix}${index}.json`, record(event), startMs + index * 10);
  }
}

/** Writes ten records that together reach the spool's size limit. */
function fillBytes(event: string, prefix: string): void {
  const mebibyte = 1024 * 1024;
  fill(10, event, prefix, nowMs - dayMs, "x".repeat(mebibyte - record(event, "").length));
}

test("a spool within its limits is left alone", () => {
  fill(spoolBounds.files, "SubagentStop", "s", nowMs - dayMs);
  expect(evictNow()).toEqual([]);
  expect(at.files()).toHaveLength(spoolBounds.files);
});

test("infinitely urgent records stay, however full the spool is", () => {
  fill(spoolBounds.files, "Held", "h", nowMs - 3 * dayMs);
  fill(spoolBounds.files + 5, "Notification", "n", nowMs - dayMs);
  expect(evictedIds()).toHaveLength(5);
  expect(at.files().filter((file) => file.startsWith("cur/h"))).toHaveLength(spoolBounds.files);
});

test("the least urgent records are evicted first, however young", () => {
  fill(400, "Notification", "n", nowMs - 3 * dayMs);
  fill(400, "Stop", "t", nowMs - 2 * dayMs);
  fill(250, "SessionEnd", "e", nowMs - dayMs);
  expect(evictedIds()).toEqual(Array.from({ length: 50 }, (_, index) => `e${index}`));
});

test("the oldest records of one urgency are evicted first, each returned with its header", () => {
  fill(spoolBounds.files + 2, "Stop", "t", nowMs - dayMs);
  const header = { v: 1, event: "Stop", agent: "droid" };
  expect(evictNow()).toEqual(["t0", "t1"].map((id) => ({ id, header })));
});

test("bytes count too", () => {
  fillBytes("Stop", "t");
  expect(evictNow()).toEqual([]);
  at.write("cur/more.t5.json", record("Stop"), nowMs - hourMs);
  expect(evictedIds()).toEqual(["t0"]);
});

test("records waiting for a retry may be evicted, but not claimed records or foreign files", () => {
  fillBytes("Notification", "n");
  at.write("cur/waits.t5.json", record("SubagentStop"));
  at.write("cur/held.json", record("SubagentStop"));
  at.write("new/.hidden", "");
  expect(evictedIds()).toEqual(["waits"]);
  expect(at.files()).toEqual(expect.arrayContaining(["cur/held.json", "new/.hidden"]));
});

test("torn records are evicted before whole ones", () => {
  fillBytes("Stop", "t");
  at.write("new/torn.json", "torn", nowMs);
  expect(evictNow()).toEqual([{ id: "torn", header: undefined }]);
});

describe("events that were never tried", () => {
  test("are kept, whatever their age and the number of waiting retries", () => {
    fillNew(1_200, "Notification", "new", nowMs - 11 * dayMs);
    fill(600, "SubagentStop", "w", nowMs - dayMs);
    expect(evictedIds()).toEqual([]);
  });

  test("are kept after the clock was set back", () => {
    fillNew(spoolBounds.files + 1, "Stop", "t", nowMs + hourMs);
    expect(evictedIds()).toEqual([]);
  });

  test("are limited to ten times as many, and the least urgent are evicted first", () => {
    fillNew(10 * spoolBounds.files, "Notification", "n", nowMs - hourMs);
    fillNew(1, "Stop", "t", nowMs);
    fillNew(1, "SubagentStop", "s", nowMs);
    expect(evictedIds()).toEqual(["s0", "t0"]);
  });
});

test("records of a newer version are never evicted", () => {
  at.write("new/newer.json", '{"v":3,"event":"SubagentStop"}\n', nowMs - 9 * dayMs);
  fill(spoolBounds.files + 1, "Stop", "t", nowMs - dayMs);
  expect(evictedIds()).toEqual(["t0"]);
});
