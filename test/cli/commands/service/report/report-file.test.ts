import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeReportFile } from "../../../../../src/cli/commands/service/report/report-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "beckon-report-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("a new file is readable only by its owner", async () => {
  const path = join(folder, "report.html");
  await writeReportFile(path, "page");
  expect(readFileSync(path, "utf8")).toBe("page");
  expect(modeOf(path)).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["report.html"]);
});

test("an existing file is replaced, and keeps its mode", async () => {
  const path = join(folder, "report.html");
  writeFileSync(path, "old");
  chmodSync(path, 0o644);
  const before = statSync(path).ino;
  await writeReportFile(path, "new");
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(modeOf(path)).toBe(0o644);
  expect(statSync(path).ino).not.toBe(before);
});

test("a link stays a link", async () => {
  mkdirSync(join(folder, "www"));
  writeFileSync(join(folder, "www", "report.html"), "old");
  symlinkSync(join("www", "report.html"), join(folder, "link.html"));
  await writeReportFile(join(folder, "link.html"), "new");
  expect(lstatSync(join(folder, "link.html")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, "www", "report.html"), "utf8")).toBe("new");
});

test("a device is written to", async () => {
  await writeReportFile("/dev/null", "page");
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

describe("nothing is written to", () => {
  test.each([
    ["a folder that is not there", "missing/report.html", /the folder .*missing does not exist/],
    ["a folder in its place", ".", /is a folder/],
    ["a file as its folder", "file/report.html", /file is not a folder/],
    ["a name that is too long", "x".repeat(300), /file name is too long/],
  ])("%s, and the error says why", async (_, name, message) => {
    writeFileSync(join(folder, "file"), "");
    await expect(writeReportFile(join(folder, name), "page")).rejects.toMatchObject({
      name: "CommandError",
      message: expect.stringMatching(message),
      hint: expect.any(String),
    });
    expect(readdirSync(folder)).toEqual(["file"]);
  });
});
