import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readSettingsFile } from "../../../src/installer/files/read-settings-file.ts";
import { replaceSettingsFile } from "../../../src/installer/files/replace-settings-file.ts";
import { freshFolder } from "../../world/fresh-folder.ts";

test.each(["old", undefined])(
  "a file that somebody writes at the last moment (%s) is not overwritten",
  async (content) => {
    const path = join(freshFolder(), "settings.json");
    if (content !== undefined) writeFileSync(path, content);
    const snapshot = await readSettingsFile(path, 1000);
    const beforeRename = async () => writeFileSync(path, "theirs");
    const replacing = replaceSettingsFile(snapshot, Buffer.from("ours"), beforeRename);
    await expect(replacing).rejects.toMatchObject({ code: "settings.changed" });
    expect(readFileSync(path, "utf8")).toBe("theirs");
    expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
  },
);

test("a file that has changed is not deleted", async () => {
  const path = join(freshFolder(), "settings.json");
  writeFileSync(path, "old");
  const snapshot = await readSettingsFile(path, 1000);
  const beforeRename = async () => writeFileSync(path, "theirs");
  await expect(replaceSettingsFile(snapshot, undefined, beforeRename)).rejects.toThrow();
  expect(readFileSync(path, "utf8")).toBe("theirs");
});

test("the next replacement removes temporary files of a killed installer and no other files", async () => {
  const path = join(freshFolder(), "settings.json");
  writeFileSync(path, "old");
  for (const name of [".settings.json.beckon-0011.tmp", ".other.json.beckon-0011.tmp"]) {
    writeFileSync(join(dirname(path), name), "");
  }
  const snapshot = await readSettingsFile(path, 1000);
  await replaceSettingsFile(snapshot, Buffer.from("new"));
  expect(readdirSync(dirname(path)).sort()).toEqual([".other.json.beckon-0011.tmp", "settings.json"]);
  expect(readFileSync(path, "utf8")).toBe("new");
});

test("a file above the size limit, and a path below a file, are refused", async () => {
  const path = join(freshFolder(), "settings.json");
  writeFileSync(path, "12345");
  await expect(readSettingsFile(path, 4)).rejects.toMatchObject({ code: "settings.size" });
  await expect(readSettingsFile(join(path, "below"), 4)).rejects.toMatchObject({ code: "settings.not-a-file" });
});
