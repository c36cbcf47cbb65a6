import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { resolvePaths } from "../../src/files/paths.ts";
import { foreignRoot, untrustedRoot } from "../../src/files/root-access.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { useFolder } from "../world/fresh-folder.ts";
import { recordNode } from "../world/home.ts";

const isRoot = process.getuid?.() === 0;
const other = 54_321;
const at = useFolder();
let root: string;

beforeEach(() => {
  root = at(".beckon");
});

function makeRoot(path = root): void {
  mkdirSync(path, { mode: 0o700 });
  makeSpool(resolvePaths(path).spool);
  const { journal, state, app, relay } = resolvePaths(path);
  for (const folder of [journal, state, app, join(app, "dist"), relay]) mkdirSync(folder, { mode: 0o700 });
}

describe.skipIf(process.platform === "win32")("a root is used", () => {
  test.each([
    ["that is private", () => makeRoot()],
    ["readable by others", () => [makeRoot(), chmodSync(root, 0o755)]],
    ["missing, in a folder of the user's", () => {}],
    ["whose folders are missing", () => mkdirSync(root, { mode: 0o700 })],
    ["that is a link to such a folder", () => [makeRoot(at("dotfiles")), symlinkSync("dotfiles", root)]],
  ])("%s", (_, make) => {
    make();
    expect(foreignRoot(resolvePaths(root))).toBeUndefined();
    expect(untrustedRoot(resolvePaths(root))).toBeUndefined();
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
        const problem = untrustedRoot(resolvePaths(root));
        expect(problem?.message).toBe(`${join(root, folder)} can be written to by other users`);
        expect(problem?.cure).toMatch(/chmod go-w '[^']+'$/);
        expect(foreignRoot(resolvePaths(root))).toBeUndefined();
      }
    },
  );

  test("if a folder at any depth below the program can be written to by others, also behind a link", () => {
    makeRoot();
    const chunks = join(root, "app", "dist", "chunks", "cli");
    const linked = at("elsewhere");
    for (const folder of [chunks, linked]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    symlinkSync(linked, join(root, "app", "dist", "link"));
    const node = at("node");
    writeFileSync(node, "");
    chmodSync(node, 0o775); // as some version managers leave it
    recordNode(resolvePaths(root), node);
    expect(untrustedRoot(resolvePaths(root))).toBeUndefined();
    for (const folder of [chunks, join(chunks, ".."), join(root, "app", "dist", "link")]) {
      chmodSync(folder, 0o777);
      expect(untrustedRoot(resolvePaths(root))?.message).toBe(`${folder} can be written to by other users`);
      chmodSync(folder, 0o755);
    }
    expect(untrustedRoot(resolvePaths(root))).toBeUndefined();
  });

  test.each(["config.jsonc", "hook", "app/dist/worker.cjs"])(
    "if others may enter it and write to its file %s",
    (file) => {
      makeRoot();
      mkdirSync(join(root, "app", "dist"), { recursive: true, mode: 0o700 });
      writeFileSync(join(root, file), "", { mode: 0o600 });
      chmodSync(join(root, file), 0o666);
      expect(untrustedRoot(resolvePaths(root))).toBeUndefined(); // behind a private folder
      chmodSync(root, 0o755);
      expect(untrustedRoot(resolvePaths(root))?.message).toBe(`${join(root, file)} can be written to by other users`);
    },
  );

  test.each(["spool", "spool/tmp", "spool/dead", "journal", "state"])("if its folder %j is a link", (folder) => {
    makeRoot();
    rmSync(join(root, folder), { recursive: true });
    symlinkSync(at(), join(root, folder));
    expect(foreignRoot(resolvePaths(root))?.message).toBe(`${join(root, folder)} is a link`);
  });
});

test.skipIf(process.platform === "win32")("a root that is a dangling link is named with its target", () => {
  symlinkSync(at("unmounted"), root);
  const message = `${root} is a link to ${at("unmounted")}, which is missing`;
  expect(foreignRoot(resolvePaths(root))?.message).toBe(message);
});

describe.runIf(isRoot)("for root, a root is foreign", () => {
  test.each(["", "spool", "spool/cur", "journal", "state"])("if its folder %j is another user's", (folder) => {
    makeRoot();
    chownSync(join(root, folder), other, other);
    const problem = foreignRoot(resolvePaths(root));
    expect(problem?.message).toBe(`${join(root, folder)} belongs to another user (${other})`);
    expect(problem?.cure).toContain("BECKON_HOME");
  });

  test("that would be made in another user's folder, at any depth", () => {
    chownSync(at(), other, other);
    expect(foreignRoot(resolvePaths(at("a", "b", ".beckon")))?.message).toContain(at());
  });

  test("that leads to another user's folder", () => {
    makeRoot(at("theirs"));
    chownSync(at("theirs"), other, other);
    symlinkSync("theirs", root);
    expect(foreignRoot(resolvePaths(root))?.message).toContain("belongs to another user");
  });
});
