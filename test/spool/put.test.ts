import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeSpool, put } from "../../src/spool/put.ts";
import { createSpool, record, type TestSpool } from "../helpers/spool.ts";

let at: TestSpool;
beforeEach(() => {
  at = createSpool();
});
afterEach(() => at.remove());

test("a record that is put is among the fresh ones, whole, for this user alone", () => {
  const bytes = record("Stop", "x".repeat(100_001));
  put(at.spool, "one", bytes);
  expect(at.files()).toEqual(["new/one.json"]);
  expect(at.textOf("new/one.json")).toBe(bytes.toString());
  expect(statSync(join(at.spool, "new/one.json")).mode & 0o777).toBe(0o600);
});

test.each([0, 1, 2, 3])("a record of %i bytes is whole too", (length) => {
  put(at.spool, "one", Buffer.alloc(length, "x"));
  expect(at.textOf("new/one.json")).toBe("x".repeat(length));
});

test("folders that are missing are made, for this user alone", () => {
  rmSync(at.spool, { recursive: true });
  put(at.spool, "one", record());
  expect(at.files()).toEqual(["new/one.json"]);
  for (const folder of ["tmp", "new", "cur", "dead"]) expect(statSync(join(at.spool, folder)).mode & 0o777).toBe(0o700);
  makeSpool(at.spool);
});

test("a link that somebody planted is not followed", () => {
  const victim = join(at.root, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(at.spool, "tmp/one"));
  expect(() => put(at.spool, "one", record())).toThrow(/EEXIST/);
  expect(readdirSync(join(at.spool, "new"))).toEqual([]);
  expect(statSync(victim).size).toBe(8);
});

test("what cannot be stored is an error, and nothing is among the fresh ones", () => {
  rmSync(join(at.spool, "new"), { recursive: true });
  writeFileSync(join(at.spool, "new"), "");
  expect(() => put(at.spool, "one", record())).toThrow(/ENOTDIR/);
  rmSync(join(at.spool, "tmp"), { recursive: true });
  mkdirSync(join(at.root, "elsewhere"));
  writeFileSync(join(at.spool, "tmp"), "");
  expect(() => put(at.spool, "two", record())).toThrow(/ENOTDIR/);
});
