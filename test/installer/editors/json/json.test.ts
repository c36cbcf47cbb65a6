import { describe, expect, test } from "vitest";
import { createBeckonCommands } from "../../../../src/installer/beckon-commands.ts";
import { readHooks, verifyEdit } from "../../../../src/installer/editors/json/json-editor.ts";
import { planInstall, planUninstall } from "../../../../src/installer/plan-file.ts";
import { droidCommand, makePlanRequest, makeRecord, wantedFor } from "../../../world/settings-tasks.ts";

describe("flat", () => {
  const file = { path: "/h/.cursor/hooks.json", shape: "flat" as const };
  const form = { command: "bash", timeout: "timeoutSec", constants: { type: "command" } };
  const wanted = new Map([...wantedFor("Stop")].map(([event, entry]) => [event, { ...entry, form }]));
  const install = (text: string | undefined, change = {}) =>
    planInstall(makePlanRequest(text, { file, wanted, ...change }));
  const installed = (text: string | undefined, change = {}) => install(text, change).after?.toString() ?? "";
  const ours = { type: "command", bash: droidCommand("Stop"), timeoutSec: 5 };

  /** Returns the text after an uninstall, if somebody wrote `text` after an install into `before`. */
  function uninstallFrom(before: string | undefined, text: string, path = file.path): string | undefined {
    const record = makeRecord(install(before), { Stop: { command: droidCommand("Stop"), timeout: 5 } });
    return planUninstall({ ...makePlanRequest(text), file: { ...file, path }, record }).after?.toString();
  }

  test("a new file begins with its version and has the entry in the agent's form", () => {
    expect(installed(undefined)).toBe(`${JSON.stringify({ version: 1, hooks: { Stop: [ours] } }, null, 2)}\n`);
  });

  test("an entry without constants is a command and a timeout", () => {
    const bare = new Map([...wanted].map(([event, entry]) => [event, { ...entry, form: { constants: {} } }]));
    const { Stop } = JSON.parse(installed("{}", { wanted: bare })).hooks;
    expect(Stop).toEqual([{ command: droidCommand("Stop"), timeout: 5 }]);
  });

  test("a beckon entry in another form keeps that form", () => {
    const older = { command: "~/.beckon/hook Stop --agent claude || :", timeout: 42, matcher: "x" };
    const after = JSON.parse(installed(JSON.stringify({ version: 1, hooks: { Stop: [older] } })));
    expect(after.hooks.Stop).toEqual([{ ...older, command: droidCommand("Stop") }]);
  });

  test("groups in a flat file, and other members, are foreign", () => {
    const stops = [{ matcher: "x", hooks: [] }, { type: "http" }];
    const theirs = { version: 1, disableAllHooks: false, hooks: { Stop: stops } };
    const after = JSON.parse(installed(JSON.stringify(theirs)));
    expect(after).toEqual({ ...theirs, hooks: { Stop: [...stops, ours] } });
  });

  describe("the version", () => {
    test.each([
      ["is added to a file without hooks", "{}", '"version": 1', 0],
      ["stays unchanged if present", '{ "version": 2 }', '"version": 2', 0],
      ["is requested instead of added, as it would switch other hooks on", '{ "hooks": {} }', "hooks", 1],
    ])("%s", (_, before, words, warnings) => {
      const plan = install(before);
      expect(plan.after?.toString()).toContain(words);
      expect(plan.after?.toString().split('"version"')).toHaveLength(words === "hooks" ? 1 : 2);
      expect(plan.warnings).toHaveLength(warnings);
    });

    const addHooks = (text: string) => text.replace('"Stop": [', '"stop": [{"command":"a"}],\n    "Stop": [');
    const addSetting = (text: string) => text.replace("{", '{ "disableAllHooks": true,');
    const othersSetting = '{ "disableAllHooks": true,\n  "version": 1\n}\n';
    const othersHooks = '{\n  "version": 1,\n  "hooks": {\n    "stop": [{"command":"a"}]\n  }\n}\n';
    test.each([
      ["goes with our hooks", undefined, (text: string) => `${text}\n`, undefined],
      ["goes from a file that was empty braces", "{}", (text: string) => `${text}\n`, "{}\n"],
      ["stays for hooks that somebody has added", undefined, addHooks, othersHooks],
      ["stays next to members that somebody has added", undefined, addSetting, othersSetting],
    ])("%s", (_, before, change, expected) => {
      expect(uninstallFrom(before, change(installed(before)))).toBe(expected);
    });
  });

  test("without a record beckon.json is removed unless it holds more than a version", () => {
    const own = { ...file, path: "/h/.copilot/hooks/beckon.json" };
    const uninstall = (text: string) => planUninstall({ ...makePlanRequest(text), file: own }).after?.toString();
    const text = installed(undefined);
    expect(uninstall(text)).toBeUndefined();
    expect(uninstall(`// mine\n${text}`)).toContain("// mine");
    expect(uninstall(text.replace("{", '{ "x": {},'))).toContain('"x"');
  });
});

describe("verify edit", () => {
  const beckonCommands = createBeckonCommands({ commands: [], roots: [] });
  const ours = `{ "hooks": [{ "type": "command", "command": "${droidCommand("Stop")}" }] }`;
  const theirs = (name: string) => `{ "hooks": [{ "type": "command", "command": "${name}" }] }`;
  const prompt = '{ "hooks": [{ "type": "prompt" }] }';
  const stops = (...entries: string[]) => `{ "hooks": { "Stop": [${entries.join(", ")}] } }`;
  const verify = (before: string, after: string) => {
    const read = (text: string) => readHooks({ path: "/f", text, shape: "wrapped" });
    verifyEdit(read(before), read(after), beckonCommands);
  };

  test.each([
    ["an added beckon entry", "{}", stops(ours)],
    ["a removed beckon entry", stops(theirs("a"), ours), stops(theirs("a"))],
    ["layout and commas", '{ "a": [1, 2] }', '{"a":[1,2,],}'],
  ])("%s is allowed", (_, before, after) => {
    verify(before, after);
  });

  test.each([
    ["a changed value", '{ "a": 1 }', '{ "a": 2 }'],
    ["a number spelt otherwise", '{ "a": 1.0 }', '{ "a": 1 }'],
    ["a removed member", '{ "a": 1, "b": 2 }', '{ "a": 1 }'],
    ["reordered members", '{ "a": 1, "b": 2 }', '{ "b": 2, "a": 1 }'],
    ["a removed comment", '{ "a": 1 // x\n}', '{ "a": 1 }'],
    ["a removed comment in a beckon container", `{ "hooks": { "Stop": [ /* x */ ${ours}] } }`, "{}"],
    ["reordered foreign entries", stops(theirs("a"), theirs("b")), stops(theirs("b"), theirs("a"))],
    ["an entry moved to another event", stops(theirs("a")), `{ "hooks": { "SessionEnd": [${theirs("a")}] } }`],
    ["a removed foreign entry in a beckon group", stops(prompt), stops(ours)],
  ])("%s is refused", (_, before, after) => {
    expect(() => verify(before, after)).toThrow(/more than beckon's entries/);
  });
});
