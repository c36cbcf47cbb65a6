import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { findUp } from "../../src/files/find-up.ts";
import { freshFolder } from "../world/fresh-folder.ts";

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
