import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { readSettingsFile } from "../../../src/installer/files/read-settings-file.ts";
import { replaceSettingsFile } from "../../../src/installer/files/replace-settings-file.ts";
import { freshFolder } from "../../world/fresh-folder.ts";

const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: "utf8" });

/**
 * Creates a settings file with an extended attribute and access for one more user. Fails on a file system without
 * these.
 */
function settingsFile(): string {
  const path = join(freshFolder(), "settings.json");
  writeFileSync(path, "old", { mode: 0o640 });
  run("setfacl", "--modify", "user:daemon:r,group:daemon:rw", path);
  run("setfattr", "--name", "user.origin", "--value", "dotfiles", path);
  return path;
}
const readAttributes = (path: string) => [
  run("getfacl", "--absolute-names", "--omit-header", path),
  run("getfattr", "--absolute-names", "--only-values", "--name", "user.origin", path),
  statSync(path).mode & 0o7777,
];

test("access control list and extended attributes of a settings file survive its replacement", async () => {
  const path = settingsFile();
  const before = readAttributes(path);
  await replaceSettingsFile(await readSettingsFile(path, 1000), Buffer.from("new and longer"));
  expect(readFileSync(path, "utf8")).toBe("new and longer");
  expect(readAttributes(path)).toEqual(before);
  expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
});

test("a file whose attributes cannot all be kept is not replaced", async () => {
  const path = settingsFile();
  const programs = freshFolder();
  const cp = '#!/bin/sh\n/bin/cp "$@"\necho "cp: setting attributes: Operation not permitted" >&2\nexit 1\n';
  writeFileSync(join(programs, "cp"), cp, { mode: 0o755 });
  vi.stubEnv("PATH", programs);
  const replacing = replaceSettingsFile(await readSettingsFile(path, 1000), Buffer.from("new"));
  await expect(replacing).rejects.toMatchObject({ code: "settings.attributes" });
  vi.unstubAllEnvs();
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
});

test("with BusyBox's cp the file is replaced with its mode only", async () => {
  const path = settingsFile();
  const programs = freshFolder();
  symlinkSync(run("which", "busybox").trim(), join(programs, "cp"));
  vi.stubEnv("PATH", programs);
  await replaceSettingsFile(await readSettingsFile(path, 1000), Buffer.from("new"));
  vi.unstubAllEnvs();
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o707).toBe(0o600);
});
