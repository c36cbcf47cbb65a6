import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { evict } from "../../src/spool/evict.ts";
import { listWithStats, spoolBounds, sweepDead, sweepTemporary } from "../../src/spool/sweep.ts";
import { createSpool, record, type TestSpool } from "../helpers/spool.ts";

const nowMs = Date.now();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let at: TestSpool;
beforeEach(() => {
  at = createSpool();
});
afterEach(() => at.remove());

describe("what launchers left behind", () => {
  test.each<[string, Buffer, number, string[]]>([
    ["a whole record of this second is left to its launcher", record(), 1_900, ["tmp/one"]],
    ["a whole record is saved after two seconds", record(), 2_100, ["new/one.json"]],
    ["a whole record is saved after days", record(), 9 * dayMs, ["new/one.json"]],
    ["a whole record from the future is saved: the clock was set back", record(), -hourMs, ["new/one.json"]],
    ["part of a record is left for an hour", record().subarray(0, 30), hourMs - 1_000, ["tmp/one"]],
    ["part of a record goes after an hour", record().subarray(0, 30), hourMs + 1_000, []],
    ["an empty file goes after an hour", Buffer.alloc(0), hourMs + 1_000, []],
  ])("%s", (_, bytes, ageMs, files) => {
    at.write("tmp/one", bytes, nowMs - ageMs);
    expect(sweepTemporary(at.spool, nowMs)).toBe(files[0]?.startsWith("new/") ? 1 : 0);
    expect(at.files()).toEqual(files);
  });

  test("includes a worker's own half-written outcome, which is dropped: the event lies elsewhere", () => {
    at.write("tmp/one.settle", record(), nowMs - 3_000);
    expect(sweepTemporary(at.spool, nowMs)).toBe(0);
    expect(at.files()).toEqual([]);
  });

  test("is swept past whatever else lies there", () => {
    mkdirSync(join(at.spool, "tmp/folder"));
    at.write("tmp/one", record(), nowMs - 3_000);
    expect(sweepTemporary(at.spool, nowMs + 2 * hourMs)).toBe(1);
    expect(at.files()).toEqual(["tmp/folder", "new/one.json"]);
  });
});

describe("the dead", () => {
  test("are kept for thirty days", () => {
    at.write("dead/young.json", "", nowMs - 29 * dayMs);
    at.write("dead/old.json", "", nowMs - 31 * dayMs);
    sweepDead(at.spool, nowMs);
    expect(at.files()).toEqual(["dead/young.json"]);
  });

  test("are two hundred at most, the newest", () => {
    for (let index = 0; index < 210; index += 1) at.write(`dead/e${index}.json`, "", nowMs - index * 1_000);
    sweepDead(at.spool, nowMs);
    expect(at.files()).toHaveLength(spoolBounds.dead);
    expect(at.files()).toContain("dead/e199.json");
    expect(at.files()).not.toContain("dead/e200.json");
  });
});

test("files are listed with size and time, folders and what is gone are not", () => {
  mkdirSync(join(at.spool, "new/folder"));
  at.write("new/one.json", "12345", 1_700_000_000_000);
  expect(listWithStats(join(at.spool, "new"))).toEqual([
    { file: "one.json", path: join(at.spool, "new/one.json"), sizeBytes: 5, modifiedAtMs: 1_700_000_000_000 },
  ]);
});

describe("a spool that is too full", () => {
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

  test("is left alone up to its bounds", () => {
    fill(spoolBounds.files, "SubagentStop", "s", nowMs - dayMs);
    expect(evict(at.spool)).toEqual([]);
    expect(at.files()).toHaveLength(spoolBounds.files);
  });

  test("loses what nobody waits for first, however young, then ends of turns, and questions last", () => {
    fill(400, "Notification", "n", nowMs - 3 * dayMs);
    fill(400, "Stop", "t", nowMs - 2 * dayMs);
    fill(250, "SessionEnd", "e", nowMs - dayMs);
    const evicted = evict(at.spool).map(({ id }) => id);
    expect(evicted).toEqual(Array.from({ length: 50 }, (_, index) => `e${index}`));
  });

  test("loses the oldest of a kind, and says what it was", () => {
    fill(spoolBounds.files + 2, "Stop", "t", nowMs - dayMs);
    expect(evict(at.spool)).toEqual([
      { id: "t0", header: { v: 1, event: "Stop", agent: "droid" } },
      { id: "t1", header: { v: 1, event: "Stop", agent: "droid" } },
    ]);
  });

  test("counts bytes too", () => {
    fillBytes("Stop", "t");
    expect(evict(at.spool)).toEqual([]);
    at.write("new/more.json", record("Stop"));
    expect(evict(at.spool).map(({ id }) => id)).toEqual(["t0"]);
  });

  test.each(["Notification", "PermissionRequest"])("keeps a question by the name %s", (event) => {
    fillBytes("AfterAgent", "t");
    at.write("new/question.json", record(event), nowMs - 9 * dayMs);
    at.write("new/info.json", record("SubagentStop"), nowMs);
    expect(evict(at.spool).map(({ id }) => id)).toEqual(["info", "t0"]);
    expect(at.files()).toContain("new/question.json");
  });

  test("loses what waits, but never what is in hand, nor what is not its own", () => {
    fillBytes("Notification", "n");
    at.write("cur/waits.t5.json", record("SubagentStop"));
    at.write("cur/held.json", record("SubagentStop"));
    at.write("new/.hidden", "");
    expect(evict(at.spool).map(({ id }) => id)).toEqual(["waits"]);
    expect(at.files()).toEqual(expect.arrayContaining(["cur/held.json", "new/.hidden"]));
  });

  test("loses what is no record before any that is", () => {
    fillBytes("Stop", "t");
    at.write("new/torn.json", "torn", nowMs);
    expect(evict(at.spool)).toEqual([{ id: "torn", header: undefined }]);
  });
});
