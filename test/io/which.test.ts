import { chmodSync, mkdirSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resolveProgram, searchFolders, which } from "../../src/io/which.ts";
import { type StubPrograms, stubPrograms } from "../helpers/stub-programs.ts";

let stubs: StubPrograms;
beforeEach(() => {
  stubs = stubPrograms();
});
afterEach(() => stubs.remove());

test("a program is found by its name", () => {
  expect(which("stub", stubs.env)).toBeUndefined();
  const path = stubs.add("stub", "");
  expect(which("stub", stubs.env)).toBe(path);
  expect(resolveProgram("stub", stubs.env)).toBe(path);
  expect(resolveProgram(path, {})).toBe(path);
});

test("the first of several is found", () => {
  const second = stubPrograms();
  second.add("stub", "");
  const first = stubs.add("stub", "");
  const env = { PATH: [stubs.folder, second.folder].join(delimiter) };
  expect(which("stub", env)).toBe(first);
  second.remove();
});

test.each([
  ["relative", (folder: string) => relative(process.cwd(), folder)],
  ["empty", () => ""],
  ["a dot", () => "."],
])("a PATH entry that is %s is not searched", (_, entry) => {
  stubs.add("stub", "");
  const env = { PATH: [entry(stubs.folder), "/nowhere"].join(delimiter) };
  expect(searchFolders(env)).toEqual(["/nowhere"]);
  expect(which("stub", env)).toBeUndefined();
});

test.each([
  ["a file that is not executable", () => chmodSync(stubs.add("stub", ""), 0o644)],
  ["a folder", () => mkdirSync(join(stubs.folder, "stub"))],
])("%s is no program", (_, make) => {
  make();
  expect(which("stub", stubs.env)).toBeUndefined();
  expect(resolveProgram(join(stubs.folder, "stub"), stubs.env)).toBeUndefined();
});

test.each(["", ".", "..", "./stub", "sub/stub", "../stub"])("the name %j is not looked up", (name) => {
  stubs.add("stub", "");
  expect(which(name, stubs.env)).toBeUndefined();
  expect(resolveProgram(name, stubs.env)).toBeUndefined();
});

test("without PATH nothing is found", () => {
  expect(which("sh", {})).toBeUndefined();
});
