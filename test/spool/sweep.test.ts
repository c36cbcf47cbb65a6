import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RecordHeader } from "../../src/spool/record.ts";
import { evict, listWithStats, spoolBounds, sweepDead, sweepTemporary } from "../../src/spool/sweep.ts";
import { createSpool, record, type TestSpool } from "../helpers/spool.ts";

const nowMs = Date.now();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let at: TestSpool;
beforeEach(() => {
  at = createSpool();
});
afterEach(() => at.remove());

describe("what killed launchers left in tmp/", () => {
  test.each<[string, Buffer, number, string[]]>([
    ["a whole record younger than two seconds is left to its launcher", record(), 1_900, ["tmp/one"]],
    ["a whole record is moved after two seconds", record(), 2_100, ["new/one.json"]],
    ["a whole record is moved after days", record(), 9 * dayMs, ["new/one.json"]],
    ["a whole record from the future is moved: the clock was set back", record(), -hourMs, ["new/one.json"]],
    ["part of a record is kept for an hour", record().subarray(0, 30), hourMs - 1_000, ["tmp/one"]],
    ["part of a record is deleted after an hour", record().subarray(0, 30), hourMs + 1_000, []],
    ["an empty file is deleted after an hour", Buffer.alloc(0), hourMs + 1_000, []],
  ])("%s", (_, bytes, ageMs, files) => {
    at.write("tmp/one", bytes, nowMs - ageMs);
    sweepTemporary(at.spool, nowMs);
    expect(at.files()).toEqual(files);
  });

  test("includes what a worker was writing when it died, which is deleted: the event is elsewhere", () => {
    at.write("tmp/one.settle", record(), nowMs - 3_000);
    sweepTemporary(at.spool, nowMs);
    expect(at.files()).toEqual([]);
  });

  test("is swept whatever else is there", () => {
    mkdirSync(join(at.spool, "tmp/folder"));
    at.write("tmp/one", record(), nowMs - 3_000);
    sweepTemporary(at.spool, nowMs + 2 * hourMs);
    expect(at.files()).toEqual(["tmp/folder", "new/one.json"]);
  });
});

describe("dead letters", () => {
  test("are kept for thirty days", () => {
    at.write("dead/young.json", "", nowMs - 29 * dayMs);
    at.write("dead/old.json", "", nowMs - 31 * dayMs);
    sweepDead(at.spool, nowMs);
    expect(at.files()).toEqual(["dead/young.json"]);
  });

  test("are the newest two hundred at most", () => {
    for (let index = 0; index < 210; index += 1) at.write(`dead/e${index}.json`, "", nowMs - index * 1_000);
    sweepDead(at.spool, nowMs);
    expect(at.files()).toHaveLength(spoolBounds.dead);
    expect(at.files()).toContain("dead/e199.json");
    expect(at.files()).not.toContain("dead/e200.json");
  });
});

test("files are listed with size and time, folders are not", () => {
  mkdirSync(join(at.spool, "new/folder"));
  at.write("new/one.json", "12345", 1_700_000_000_000);
  expect(listWithStats(join(at.spool, "new"))).toEqual([
    { file: "one.json", path: join(at.spool, "new/one.json"), sizeBytes: 5, modifiedAtMs: 1_700_000_000_000 },
  ]);
});

const urgencies: Readonly<Record<string, number>> = { Notification: 2, Stop: 1 };
const evictNow = () => evict(at.spool, (header: RecordHeader | undefined) => urgencies[header?.event ?? ""] ?? 0);
const evictedIds = () => evictNow().map(({ id }) => id);

function fill(count: number, event: string, prefix: string, startMs: number, payload = "{}"): void {
  for (let index = 0; index < count; index += 1) {
    at.write(`new/${prefix}${index}.json`, record(event, payload), startMs + index * 10);
  }
}

/** Ten records that are as many bytes as a spool may hold. */
function fillBytes(event: string, prefix: string): void {
  const mebibyte = 1024 * 1024;
  fill(10, event, prefix, nowMs - dayMs, "x".repeat(mebibyte - record(event, "").length));
}

test("a spool within its bounds is left alone", () => {
  fill(spoolBounds.files, "SubagentStop", "s", nowMs - dayMs);
  expect(evictNow()).toEqual([]);
  expect(at.files()).toHaveLength(spoolBounds.files);
});

test("the least urgent records go first, however young", () => {
  fill(400, "Notification", "n", nowMs - 3 * dayMs);
  fill(400, "Stop", "t", nowMs - 2 * dayMs);
  fill(250, "SessionEnd", "e", nowMs - dayMs);
  expect(evictedIds()).toEqual(Array.from({ length: 50 }, (_, index) => `e${index}`));
});

test("among records of one urgency the oldest go, each returned with its header", () => {
  fill(spoolBounds.files + 2, "Stop", "t", nowMs - dayMs);
  expect(evictNow()).toEqual([
    { id: "t0", header: { v: 1, event: "Stop", agent: "droid" } },
    { id: "t1", header: { v: 1, event: "Stop", agent: "droid" } },
  ]);
});

test("bytes count too", () => {
  fillBytes("Stop", "t");
  expect(evictNow()).toEqual([]);
  at.write("new/more.json", record("Stop"));
  expect(evictedIds()).toEqual(["t0"]);
});

test("a question outlives younger records of less urgency", () => {
  fillBytes("Stop", "t");
  at.write("new/question.json", record("Notification"), nowMs - 9 * dayMs);
  at.write("new/info.json", record("SubagentStop"), nowMs);
  expect(evictedIds()).toEqual(["info", "t0"]);
  expect(at.files()).toContain("new/question.json");
});

test("records that wait for a retry may go; those a worker holds and files of others stay", () => {
  fillBytes("Notification", "n");
  at.write("cur/waits.t5.json", record("SubagentStop"));
  at.write("cur/held.json", record("SubagentStop"));
  at.write("new/.hidden", "");
  expect(evictedIds()).toEqual(["waits"]);
  expect(at.files()).toEqual(expect.arrayContaining(["cur/held.json", "new/.hidden"]));
});

test("what is no whole record goes before any that is", () => {
  fillBytes("Stop", "t");
  at.write("new/torn.json", "torn", nowMs);
  expect(evictNow()).toEqual([{ id: "torn", header: undefined }]);
});
