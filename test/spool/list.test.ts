import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claim, freshEntries, recover, waitingEntries } from "../../src/spool/claim.ts";
import { isSupportedRecord, listWithStats, readRecordFile } from "../../src/spool/list.ts";
import { maxRecordBytes } from "../../src/spool/record.ts";
import { record, useSpool } from "../world/spool.ts";

const at = useSpool();

const newer = '{"v":3,"event":"Stop","agent":"droid"}\n{}\n{"end":0}\n';

/** Things that may be in a record's place, by name. */
const odd: Readonly<Record<string, (path: string) => void>> = {
  "a folder": (path) => mkdirSync(path),
  "a pipe": (path) => execFileSync("mkfifo", [path]),
  "a device": (path) => execFileSync("mknod", [path, "c", "1", "5"]), // endless zeros
  "a link to a device": (path) => symlinkSync("/dev/zero", path),
  "a link to a record": (path) => symlinkSync(join(at.spool, "dead/other.json"), path),
  "a dangling link": (path) => symlinkSync("/no/such/file", path),
};
const canMakeDevices = process.getuid?.() === 0;
const kinds = Object.keys(odd).filter((kind) => canMakeDevices || kind !== "a device");

test("files are listed with size and time", () => {
  at.write("new/one.json", "12345", 1_700_000_000_000);
  const place = { file: "one.json", path: join(at.spool, "new/one.json") };
  expect(listWithStats(join(at.spool, "new"))).toEqual([{ ...place, sizeBytes: 5, modifiedAtMs: 1_700_000_000_000 }]);
});

describe.each(kinds)("%s with a record's name", (kind) => {
  test.each(["new/one.json", "cur/one.t5.json", "cur/one.json"])("stays as %s and blocks nothing", (file) => {
    at.write("dead/other.json");
    odd[kind]?.(join(at.spool, file));
    at.write("new/two.json");
    expect(recover(at.spool)).toEqual([]);
    expect([...freshEntries(at.spool), ...waitingEntries(at.spool)].map(({ id }) => id)).toEqual(["two"]);
    const dueAtMs = file.includes(".t5.") ? { dueAtMs: 5 } : {};
    expect(claim(at.spool, { id: "one", crashes: 0, ...dueAtMs })).toBeUndefined();
    expect(isSupportedRecord(join(at.spool, file))).toBe(false);
    expect(at.files()).toContain(file);
  });
});

describe("a record of a newer version", () => {
  test.each(["new/one.json", "cur/one.t5.json"])("stays as %s and is listed until it was inspected", (file) => {
    at.write(file, newer);
    const entries = () => [...freshEntries(at.spool), ...waitingEntries(at.spool)];
    const [entry] = entries();
    expect(entry && claim(at.spool, entry)).toBeUndefined();
    expect(entries()).toEqual([]);
    expect(at.readText(file)).toBe(newer);
  });

  test("held by a newer worker is not counted as crashed", () => {
    at.write("cur/one.json", newer);
    expect(recover(at.spool)).toEqual([]);
    expect(at.files()).toEqual(["cur/one.json"]);
  });
});

test("at most the record limit is read from a larger file", () => {
  at.write("new/huge.json", record());
  truncateSync(join(at.spool, "new/huge.json"), 5 * 2 ** 30);
  expect(readRecordFile(join(at.spool, "new/huge.json"))).toHaveLength(maxRecordBytes);
  expect(claim(at.spool, { id: "huge", crashes: 0 })?.bytes).toHaveLength(maxRecordBytes);
});
