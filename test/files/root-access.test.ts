import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { pathsOf } from "../../src/files/paths.ts";
import { foreignRoot, untrustedRoot } from "../../src/files/root-access.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { freshFolder } from "../world/fresh-folder.ts";

const isRoot = process.getuid?.() === 0;
const other = 54_321;
let home: string;
let root: string;

beforeEach(() => {
  home = freshFolder();
  root = join(home, ".beckon");
});

function makeRoot(path = root): void {
  mkdirSync(path, { mode: 0o700 });
  makeSpool(pathsOf(path).spool);
  const { journal, state, app, relay } = pathsOf(path);
  for (const folder of [journal, state, app, join(app, "dist"), relay]) mkdirSync(folder, { mode: 0o700 });
}

describe.skipIf(process.platform === "win32")("a root is used", () => {
  test.each([
    ["that is private", () => makeRoot()],
    ["readable by others", () => [makeRoot(), chmodSync(root, 0o755)]],
    ["missing, in a folder of the user's", () => {}],
    ["whose folders are missing", () => mkdirSync(root, { mode: 0o700 })],
    ["that is a link to such a folder", () => [makeRoot(join(home, "dotfiles")), symlinkSync("dotfiles", root)]],
  ])("%s", (_, make) => {
    make();
    expect(foreignRoot(pathsOf(root))).toBeUndefined();
    expect(untrustedRoot(pathsOf(root))).toBeUndefined();
  });
});

describe.skipIf(process.platform === "win32")("a root is not trusted", () => {
  test.each(["", "spool", "spool/new", "journal", "state", "app", "app/dist", "relay"])(
    "if others may write to its folder %j",
    (folder) => {
      for (const mode of [0o770, 0o707, 0o777]) {
        rmSync(root, { recursive: true, force: true });
        makeRoot();
        chmodSync(join(root, folder), mode);
        const problem = untrustedRoot(pathsOf(root));
        expect(problem?.message).toBe(`${join(root, folder)} can be written to by other users`);
        expect(problem?.cure).toMatch(/chmod 700 '[^']+'$/);
        expect(foreignRoot(pathsOf(root))).toBeUndefined();
      }
    },
  );

  test.each(["spool", "spool/tmp", "spool/dead", "journal", "state"])("if its folder %j is a link", (folder) => {
    makeRoot();
    rmSync(join(root, folder), { recursive: true });
    symlinkSync(home, join(root, folder));
    expect(foreignRoot(pathsOf(root))?.message).toBe(`${join(root, folder)} is a link`);
  });
});

test.skipIf(process.platform === "win32")("a root that is a dangling link is named with its target", () => {
  symlinkSync(join(home, "unmounted"), root);
  const message = `${root} is a link to ${join(home, "unmounted")}, which is missing`;
  expect(foreignRoot(pathsOf(root))?.message).toBe(message);
});

describe.runIf(isRoot)("for root, a root is foreign", () => {
  test.each(["", "spool", "spool/cur", "journal", "state"])("if its folder %j is another user's", (folder) => {
    makeRoot();
    chownSync(join(root, folder), other, other);
    const problem = foreignRoot(pathsOf(root));
    expect(problem?.message).toBe(`${join(root, folder)} belongs to another user (${other})`);
    expect(problem?.cure).toContain("BECKON_HOME");
  });

  test("that would be made in another user's folder, at any depth", () => {
    chownSync(home, other, other);
    expect(foreignRoot(pathsOf(join(home, "a", "b", ".beckon")))?.message).toContain(home);
  });

  test("that leads to another user's folder", () => {
    makeRoot(join(home, "theirs"));
    chownSync(join(home, "theirs"), other, other);
    symlinkSync("theirs", root);
    expect(foreignRoot(pathsOf(root))?.message).toContain("belongs to another user");
  });
});
