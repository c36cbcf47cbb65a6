import { describe, expect, test } from "vitest";
import { SettingsError } from "../../../../src/core/errors.ts";
import { createBeckonCommands } from "../../../../src/installer/beckon-commands.ts";
import { planInstall, planUninstall } from "../../../../src/installer/plan-file.ts";
import { makePlanRequest, wantedFor } from "../../../world/settings-tasks.ts";

const file = { path: "/h/config.toml", shape: "tables" as const };
const beckonCommands = createBeckonCommands({ commands: [], roots: [] });
const install = (text: string | undefined, change = {}) =>
  planInstall(makePlanRequest(text, { file, wanted: wantedFor("Stop"), ...change }));
const installed = (text: string | undefined, change = {}) => install(text, change).after?.toString() ?? "";
const uninstalled = (text: string) =>
  planUninstall({ file, beckonCommands, before: Buffer.from(text) }).after?.toString();

const line = "~/.beckon/hook Stop --agent droid || :";
const ours = `[[hooks]]\nevent = "Stop"\ncommand = "${line}"\ntimeout = 5\n`;
const inline = `{ event = "Stop", command = "${line}", timeout = 5 }`;
const other = "{event='a', command='b'}";
const theirs = `[[hooks]]\nevent = "Stop"\ncommand = 'say done'\n`;

test.each([
  ["an empty file", "", ours],
  ["another table last", '[model]\nname = "x"\n', `[model]\nname = "x"\n\n${ours}`],
  ["no final newline", "a = 1", `a = 1\n\n${ours.trimEnd()}`],
  ["CRLF", "a = 1\r\n", `a = 1\r\n\r\n${ours.replaceAll("\n", "\r\n")}`],
  ["a comment at the end", "a = 1\n# end\n\n", `a = 1\n# end\n\n\n${ours}`],
  ["foreign tables", `# c\n${theirs}\n[x]\n`, `# c\n${theirs}\n[x]\n\n${ours}`],
  ["an empty array", "hooks = [] # none\n[x]\n", `hooks = [${inline}] # none\n[x]\n`],
  ["an array with a comment", "hooks = [ # none\n]\n", `hooks = [${inline} # none\n]\n`],
  ["an array of one", `hooks = [${other}]`, `hooks = [${other}, ${inline}]`],
  ["an array over lines", `hooks = [\n  ${other}, # c\n]\n`, `hooks = [\n  ${other}, ${inline}, # c\n]\n`],
  ["a key in quotes", '"hoo\\u006bs" = []\n', `"hoo\\u006bs" = [${inline}]\n`],
  ["a text that looks like a table", 'a = """\n[[hooks]]\n"""\n', `a = """\n[[hooks]]\n"""\n\n${ours}`],
])("an entry is added at the end, and removed again: %s", (_, before, expected) => {
  expect(installed(before)).toBe(expected);
  if (before !== "") expect(uninstalled(expected)).toBe(before);
});

describe("older beckon entries", () => {
  test("the user's matcher, timeout, comments and layout stay, the command is updated", () => {
    const before = `[[hooks]] # mine\nevent='Stop'\n\nmatcher = "x" # why\ncommand   = '${line.replace(" ||", " --wait 3 ||")}' # c\ntimeout = 42\n`;
    expect(installed(before)).toBe(before.replace(/'~.*'/, `"${line}"`));
  });

  test("a timeout from an earlier install follows the new one", () => {
    const entries = { Stop: { command: line, timeout: 5 } };
    const record = { entries, created: [], written: [], original: null } as never;
    const wanted = new Map([["Stop", { command: line, timeout: 9, leastTimeout: 0 }]]);
    expect(installed(ours, { record, wanted })).toBe(ours.replace("5", "9"));
    expect(installed(ours.replace("5", "7"), { record, wanted })).toBe(ours.replace("5", "7"));
  });

  test("the second of two copies is removed, other entries and comments between them stay", () => {
    const before = `${ours}\n# about theirs\n${theirs}\n${ours}# end\n`;
    expect(installed(before)).toBe(`${ours}\n# about theirs\n${theirs}# end\n`);
  });

  test.each([
    ["first", `hooks = [${inline}, ${other}]`, `hooks = [${other}]`],
    ["last with a comma", `hooks = [${other}, ${inline},]`, `hooks = [${other},]`],
    ["alone with a comma", `hooks = [\n  ${inline}, # c\n]`, "hooks = [\n   # c\n]"],
    ["behind a comment", `hooks = [${other}, # c\n  ${inline}]`, `hooks = [${other}, # c\n  ]`],
  ])("%s in an array is removed, and all else stays", (_, before, expected) => {
    expect(uninstalled(before)).toBe(expected);
  });
});

describe("a file that cannot be edited safely is refused with its position", () => {
  test.each([
    ["a = \n", "toml", "line 1, column 5"],
    ["a = 1\n[x\n", "toml", "line 2, column 3"],
    ["a = 1\na = 2\n", "toml", "line 2, column"],
    ["hooks = []\n[[hooks]]\n", "toml", "line 2, column"],
    [`a = ${"[".repeat(300)}${"]".repeat(300)}`, "toml", "line 1"],
    ["hooks = 3\n", "shape", "`hooks` at line 1, column 1 must be an array of tables, not a number"],
    ["a = 1\n  hooks = 'x'\n", "shape", "`hooks` at line 2, column 3 must be an array of tables, not a string"],
    ["hooks = {}\n", "shape", "not a table"],
    ["[hooks]\nStop = 1\n", "shape", "`hooks` at line 1, column 1 must be an array of tables, not a table"],
    ["a = 1\nhooks.Stop = 1\n", "shape", "`hooks` at line 2, column 1"],
    ["[[hooks.Stop]]\n", "shape", "`hooks` at line 1, column 1"],
    ["hooks = [1]\n", "shape", "`hooks[0]` at line 1, column 1 must be a table, not a number"],
    [`${ours}[hooks.x]\na = 1\n${theirs}`, "verify", "the edit would break it"],
    [`${theirs}${ours}[hooks.x]\na = 1\n`, "verify", "more than beckon's entries"],
  ])("%j", (text, code, words) => {
    const edit = () => (code === "verify" ? uninstalled(text) : install(text));
    expect(edit).toThrow(SettingsError);
    const error = { code: `settings.${code}`, message: expect.stringContaining(words) };
    expect(edit).toThrow(expect.objectContaining(error));
  });

  test("the error for a broken file does not quote its lines, which may hold keys", () => {
    const text = 'api_key = "sk-secret"\nbase = "sk-secret\n';
    const isSafe = (error: Error) =>
      !JSON.stringify([error, String(error), String(error.stack), error.cause]).includes("sk-secret");
    expect(() => install(text)).toThrow(expect.toSatisfy(isSafe));
    expect(() => install(text)).toThrow("line 2");
  });
});

test.each([
  'a = """x"""""\nb = """\\""""\n',
  "a = '''it's ''''\nb = 'c:\\'\n",
  'a = "\\"#" # c\n[x] # e\r\nb=2\n',
  '"a]" . \'b=\' = { c = "}" , d = [ {} ] }\n',
  "a = { b = 1, # c\n  c = '\u2028', }\n",
  'a = "\\e\\x41"\n__proto__ = 07:32\n',
])("the user's bytes in %j stay", (text) => {
  for (const before of [`${text}\n${theirs}`, `hooks = [ ${other}, # c\n]\n${text}`]) {
    expect(uninstalled(installed(before))).toBe(before);
  }
});

test.each([
  ["a file of more than 1 MiB", `#${"x".repeat(2 ** 20)}\n`, "size", "larger than 1 MiB"],
  ["a string of 500,000 characters", `a = "${"x".repeat(500_000)}"\n`, "verify", "has a form that beckon cannot edit"],
])("%s is refused, and what to do is said", (_, text, code, words) => {
  const hint = expect.stringMatching(/by hand|yourself/);
  const error = { code: `settings.${code}`, message: expect.stringContaining(words), hint };
  for (const edit of [() => install(text), () => install(text + ours), () => uninstalled(text + ours)])
    expect(edit).toThrow(expect.objectContaining(error));
  expect(installed(text.replaceAll(/x{1000}/g, ""))).toContain(ours);
});
