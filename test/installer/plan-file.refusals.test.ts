import { expect, test } from "vitest";
import { SettingsError } from "../../src/core/errors.ts";
import { planInstall } from "../../src/installer/plan-file.ts";
import { planOf, wantedFor } from "../world/settings-tasks.ts";

function refusalOf(text: string, change = {}): SettingsError {
  try {
    planInstall(planOf(text, change));
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

test.each([
  ['{\n  "a": 1,\n  oops\n}', "settings.json", "line 3, column 3"],
  ['{"a":1}}', "settings.json", "line 1, column 8"],
  ['{"a":', "settings.json", "line 1, column 6"],
  ["// only this", "settings.json", "line 1"],
  ["[]", "settings.shape", "holds an array, not"],
  ['"x"', "settings.shape", "holds a string, not"],
  ['{"hooks":null}', "settings.shape", "`hooks` at line 1, column 10 must be an object, not null"],
  ['{"hooks":[]}', "settings.shape", "`hooks` at line 1, column 10 must be an object, not an array"],
  ['{"hooks":"x"}', "settings.shape", "`hooks` at line 1, column 10 must be an object, not a string"],
  ['{"hooks":{"Stop":{}}}', "settings.shape", "`hooks.Stop` at line 1, column 18 must be an array"],
  ['{"hooks":{"PreToolUse":"x"}}', "settings.shape", "`hooks.PreToolUse` at line 1, column 24 must be an array"],
  [
    '{"hooks":{"Stop":[\n{"hooks":[]},\r\n 3]}}',
    "settings.shape",
    "`hooks.Stop[1]` at line 3, column 2 must be an object",
  ],
  ['{"hooks":{"Stop":[{"matcher":"x"}]}}', "settings.shape", "`hooks.Stop[0]` at line 1, column 19 has no `hooks`"],
  [
    '{"hooks":{"Stop":[{"hooks":{}}]}}',
    "settings.shape",
    "`hooks.Stop[0].hooks` at line 1, column 28 must be an array",
  ],
  ['{"hooks":{},"hooks":{}}', "settings.shape", "`hooks` at line 1, column 13 is there 2 times"],
  ['{"hooks":{"Stop":[],"Stop":[]}}', "settings.shape", "`hooks.Stop` at line 1, column 21 is there twice"],
  [`${"[".repeat(20_000)}`, "settings.depth", "200 levels"],
  [`{"a":"${"x".repeat(5 * 1024 * 1024)}"}`, "settings.size", "5 MiB"],
])("a file that cannot be edited safely is refused: %.60s", (text, code, words) => {
  const error = refusalOf(text);
  expect(error.code).toBe(code);
  expect(error.message).toContain(words);
});

test("a standalone file in the wrapped form is refused: Droid ignores it without a word", () => {
  const error = refusalOf('{"hooks":{"Stop":[]}}', { file: { path: "/h/hooks.json", shape: "bare" } });
  expect(error.message).toContain("`hooks` at line 1, column 10 must not be there");
});

test("UTF-16 is refused", () => {
  const before = Buffer.from("\ufeff{}", "utf16le");
  expect(() => planInstall(planOf("", { before }))).toThrow(/not UTF-8 at line 1, column 1$/);
});

test.each([
  ["a lone byte", Buffer.from('{\n  "a": "ü\xe9"\n}', "latin1"), 2, 9],
  ["a byte behind others of more than one", Buffer.concat([Buffer.from('{\r\n"日本": "'), Buffer.of(0x80)]), 2, 8],
  ["a character that is cut off", Buffer.from('{"a": "日').subarray(0, -1), 1, 8],
])("what is not UTF-8 is refused with its position: %s", (_, before, line, column) => {
  const words = new RegExp(`not UTF-8 at line ${line}, column ${column}$`);
  expect(() => planInstall(planOf("", { before }))).toThrow(words);
});

test("nesting too deep is refused with its position", () => {
  expect(refusalOf(`{\n"a":${"[".repeat(201)}${"]".repeat(201)}}`).message).toMatch(
    /levels deep at line 2, column 204$/,
  );
});

test("`__proto__` is a key like any other", () => {
  const before = '{"__proto__":{"hooks":{"Stop":1}},"constructor":1}';
  expect(planInstall(planOf(before, { wanted: wantedFor("Stop") })).after?.toString()).toContain(before.slice(0, -1));
});
