import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createExec } from "../../src/io/exec.ts";
import { lastingPath, resolveProgram, searchFolders, systemFolders, which } from "../../src/io/which.ts";
import { type StubPrograms, stubPrograms } from "../world/stub-programs.ts";

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

describe("a project's folder in PATH is not searched", () => {
  const env = (entry: string, project: string, home = "/home/nobody") => ({
    PATH: [entry, "/nowhere"].join(delimiter),
    BECKON_PROJECT: project,
    HOME: home,
    USERPROFILE: home,
  });

  test.each(["node_modules/.bin", "packages/a/node_modules/.bin/"])("%s, which `npm exec` puts first", (folder) => {
    expect(searchFolders(env(join(stubs.folder, folder), "/elsewhere"))).toEqual(["/nowhere"]);
  });

  test("one below the folder of the hook that started the worker", () => {
    mkdirSync(join(stubs.folder, "bin"));
    symlinkSync(stubs.folder, `${stubs.folder}-link`);
    for (const project of [stubs.folder, `${stubs.folder}-link`, `${stubs.folder}/`])
      for (const folder of [stubs.folder, join(stubs.folder, "bin")])
        expect(searchFolders(env(folder, project))).toEqual(["/nowhere"]);
    rmSync(`${stubs.folder}-link`);
    const sibling = `${stubs.folder}-other`;
    expect(searchFolders(env(sibling, stubs.folder))).toEqual([sibling, "/nowhere"]);
  });

  test("but one below the home folder is, where the agent works in the home folder", () => {
    const folder = join(stubs.folder, "bin");
    expect(searchFolders(env(folder, stubs.folder, stubs.folder))).toEqual([folder, "/nowhere"]);
  });
});

test("a program that beckon chooses itself is looked for in the system's folders first", () => {
  const system = stubPrograms();
  const real = system.add("notify-send", "");
  const own = stubs.add("notify-send", "");
  const only = stubs.add("paplay", "");
  const exec = createExec(stubs.env, [system.folder]);
  expect(exec.driver("notify-send")).toBe(real);
  expect(exec.driver("paplay")).toBe(only);
  expect(exec.which("notify-send")).toBe(own);
  expect(systemFolders().every((folder) => existsSync(folder))).toBe(true);
  system.remove();
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

describe("the path of a program that stays", () => {
  /** A Homebrew with a version of Node, linked as Homebrew does. */
  function brew(version: string): string {
    const bin = join(stubs.folder, "Cellar/node@22", version, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "node"), "");
    mkdirSync(join(stubs.folder, "opt"), { recursive: true });
    rmSync(join(stubs.folder, "opt/node@22"), { force: true });
    symlinkSync(`../Cellar/node@22/${version}`, join(stubs.folder, "opt/node@22"));
    return join(bin, "node");
  }
  const link = () => join(stubs.folder, "opt/node@22/bin/node");

  test("is Homebrew's own link, which leads to the next version after an upgrade", () => {
    const first = brew("22.1.0_1");
    expect(lastingPath(first)).toBe(link());
    rmSync(join(stubs.folder, "Cellar"), { recursive: true });
    brew("22.2.0");
    expect(existsSync(link())).toBe(true);
  });

  test("is the real one where the link leads to another version, and where there is none", () => {
    const first = brew("22.1.0");
    brew("22.2.0");
    expect(lastingPath(first)).toBe(first);
    rmSync(join(stubs.folder, "opt"), { recursive: true });
    expect(lastingPath(first)).toBe(first);
  });

  test("is the real one of a version manager's link, which needs its shell", () => {
    const real = stubs.add("node-22", "");
    symlinkSync(real, join(stubs.folder, "node"));
    expect(lastingPath(join(stubs.folder, "node"))).toBe(real);
  });
});
