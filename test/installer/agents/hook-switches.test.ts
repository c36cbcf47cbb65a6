import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readValue } from "../../../src/installer/agents/hook-switches.ts";

const read = (name: string, text: string) => {
  const path = join(mkdtempSync(join(tmpdir(), "beckon-value-")), name);
  writeFileSync(path, text);
  return readValue(path);
};

test.each([
  ["strict JSON", "a.json", '{"a":[1]}'],
  ["JSON with comments and trailing commas", "a.json", '{ "a": [1,], } // why'],
  ["JSON after a byte-order mark", "a.json", '\ufeff{"a":[1]}'],
  ["TOML", "a.toml", "a = [1]"],
])("%s is read as a value", async (_, name, text) => {
  expect(await read(name, text)).toEqual({ a: [1] });
});

test.each([
  ["broken JSON", "a.json", '{"a":'],
  ["JSON with comments, nested too deeply for a parser that recurses", "a.json", `// c\n${"[".repeat(100_000)}`],
  ["broken TOML", "a.toml", "a = "],
])("%s has no value, and no error", async (_, name, text) => {
  expect(await read(name, text)).toBeUndefined();
});

test("a file that does not exist has no value", async () => {
  expect(await readValue("/nowhere/settings.json")).toBeUndefined();
});
