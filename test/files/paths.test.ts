import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { findUp, homeDirectory, resolvePaths, rootDirectory } from "../../src/files/paths.ts";
import { freshFolder } from "../world/fresh-folder.ts";

describe.skipIf(process.platform === "win32")("the home folder", () => {
  test.each([
    ["/home/somebody", "/home/somebody"],
    ...["", "relative/home", ".", "~", undefined].map((home) => [home, userInfo().homedir]),
  ])("with HOME %j is %s", (home, expected) => {
    vi.stubEnv("HOME", home);
    expect(homeDirectory()).toBe(expected);
  });
});

describe("the root folder", () => {
  test("is an absolute BECKON_HOME, or below the home folder otherwise", () => {
    const home = { HOME: "/home/me", USERPROFILE: "/home/me" };
    const roots = ["/opt/beckon", "", ".beckon", "../x"].map((root) => rootDirectory({ ...home, BECKON_HOME: root }));
    const own = join("/home/me", ".beckon");
    expect([...roots, rootDirectory(home)]).toEqual(["/opt/beckon", own, own, own, own]);
  });
});

test("all paths are absolute, below the root, and different", () => {
  const paths = Object.values(resolvePaths("/r/beckon"));
  expect(paths.every((path) => isAbsolute(path) && path.startsWith(join("/r", "beckon")))).toBe(true);
  expect(new Set(paths).size).toBe(paths.length);
});

let root: string;
beforeEach(() => {
  root = join(freshFolder(), "beckon #find");
  mkdirSync(join(root, "dist", "chunks"), { recursive: true });
  mkdirSync(join(root, "templates"));
  writeFileSync(join(root, "dist", "child.cjs"), "");
});

const from = (path: string) => pathToFileURL(join(root, path)).href;

test.each([
  ["a chunk", "dist/chunks/a.js"],
  ["dist", "dist/worker.cjs"],
  ["the root", "install.ts"],
  ["a source folder that does not exist", "src/io/a.ts"],
])("a file and a folder of the package are found from %s", (_, path) => {
  expect(findUp(from(path), "templates")).toBe(join(root, "templates"));
  expect(findUp(from(path), "child.cjs", "dist/child.cjs")).toBe(join(root, "dist", "child.cjs"));
});

test("the nearest existing one is found, nothing above the package", () => {
  mkdirSync(join(root, "dist", "templates"));
  expect(findUp(from("dist/worker.cjs"), "templates")).toBe(join(root, "dist", "templates"));
  mkdirSync(join(root, "node_modules/beckon/dist"), { recursive: true });
  writeFileSync(join(root, "node_modules/beckon/package.json"), "{}");
  expect(findUp(from("node_modules/beckon/dist/worker.cjs"), "templates")).toBeUndefined();
  expect(findUp(from("dist/worker.cjs"), "no-such-file-anywhere")).toBeUndefined();
});
