import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { replaceSettingsFile } from "../../src/io/replace-settings.ts";
import { readSettingsFile } from "../../src/io/settings-file.ts";
import { freshJob } from "../helpers/settings-jobs.ts";

const folder = () => mkdtempSync(join(tmpdir(), "beckon-replace-"));

test.each([
  ["changed", "old"],
  ["made", undefined],
])("a file that somebody %s at the last moment is not overwritten", async (_, content) => {
  const path = join(folder(), "settings.json");
  if (content !== undefined) writeFileSync(path, content);
  const snapshot = await readSettingsFile(path, 1000);
  const beforeRename = async () => writeFileSync(path, "theirs");
  const replacing = replaceSettingsFile({ snapshot, after: Buffer.from("ours"), beforeRename });
  await expect(replacing).rejects.toMatchObject({ code: "settings.changed" });
  expect(readFileSync(path, "utf8")).toBe("theirs");
  expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
});

test("a file that changed is not deleted", async () => {
  const path = join(folder(), "settings.json");
  writeFileSync(path, "old");
  const snapshot = await readSettingsFile(path, 1000);
  const beforeRename = async () => writeFileSync(path, "theirs");
  await expect(replaceSettingsFile({ snapshot, after: undefined, beforeRename })).rejects.toThrow();
  expect(readFileSync(path, "utf8")).toBe("theirs");
});

test("temps of a killed installer go with the next replacement, other files stay", async () => {
  const path = join(folder(), "settings.json");
  writeFileSync(path, "old");
  for (const name of [".settings.json.beckon-0011.tmp", ".other.json.beckon-0011.tmp"]) {
    writeFileSync(join(dirname(path), name), "");
  }
  const snapshot = await readSettingsFile(path, 1000);
  await replaceSettingsFile({ snapshot, after: Buffer.from("new"), beforeRename: async () => {} });
  expect(readdirSync(dirname(path)).sort()).toEqual([".other.json.beckon-0011.tmp", "settings.json"]);
  expect(readFileSync(path, "utf8")).toBe("new");
});

test("a file above the limit, and one below a file, are refused", async () => {
  const path = join(folder(), "settings.json");
  writeFileSync(path, "12345");
  await expect(readSettingsFile(path, 4)).rejects.toMatchObject({ code: "settings.size" });
  await expect(readSettingsFile(join(path, "below"), 4)).rejects.toMatchObject({ code: "settings.not-a-file" });
});

test("where the disk takes only a part, the old file stays whole and nothing is left beside it", () => {
  const { paths, path } = freshJob();
  mkdirSync(dirname(path));
  const old = JSON.stringify({ a: "x".repeat(200_000) });
  writeFileSync(path, old);
  const script = join(import.meta.dirname, "..", "helpers", "apply-once.ts");
  // 64 blocks of 512 or 1024 bytes; the transpiler must not write its cache under that limit.
  const line = `ulimit -f 64; exec "$@"`;
  const args = ["-c", line, "sh", process.execPath, "--import", "tsx", script, "install", paths.root, path];
  const { status, stderr } = spawnSync("sh", args, {
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("EFBIG");
  expect(readFileSync(path, "utf8")).toBe(old);
  expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
});
