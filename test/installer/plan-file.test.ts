import { describe, expect, test } from "vitest";
import { beckonCommandsOf } from "../../src/installer/beckon-commands.ts";
import { planInstall, planUninstall } from "../../src/installer/plan-file.ts";
import { droidCommand, planOf, wantedFor } from "../world/settings-tasks.ts";

const install = (text: string | undefined, change = {}) => planInstall(planOf(text, change));
const installed = (text: string | undefined, change = {}) => install(text, change).after?.toString() ?? "";
const entry = (command: string, more = "") => `{ "type": "command", "command": ${JSON.stringify(command)}${more} }`;

describe("an install leaves exactly one entry of beckon's per event", () => {
  test("installing twice changes nothing the second time", () => {
    const once = install('{ "a": 1 }').after;
    const twice = install(once?.toString());
    expect(twice.changes).toBe(false);
    expect(twice.after).toEqual(once);
  });

  test("an older entry keeps the user's matcher and timeout and gets the new command", () => {
    const before = `{"hooks":{"Stop":[{"matcher":"x","hooks":[${entry("~/.beckon/hook Stop --agent claude || :", ',"timeout":42')}]}]}}`;
    const after = JSON.parse(installed(before, { wanted: wantedFor("Stop") }));
    expect(after.hooks.Stop).toEqual([
      { matcher: "x", hooks: [{ type: "command", command: droidCommand("Stop"), timeout: 42 }] },
    ]);
  });

  test("an older entry without labels gets them, those of the user's stay, and a second install writes nothing", () => {
    const labels = { name: "beckon", description: "Tells you" };
    const form = { labels };
    const wanted = new Map([["Stop", { command: droidCommand("Stop"), timeout: 5, leastTimeout: 0, form }]]);
    const withEntry = (more: string) => `{"hooks":{"Stop":[{"hooks":[${entry(droidCommand("Stop"), more)}]}]}}`;
    const hook = (text: string) => JSON.parse(installed(text, { wanted })).hooks.Stop[0].hooks[0];
    const command = { type: "command", command: droidCommand("Stop") };
    expect(hook(withEntry(',"timeout":9'))).toEqual({ ...command, timeout: 9, ...labels });
    expect(hook(withEntry(',"name":"mine"'))).toEqual({ ...command, ...labels, name: "mine" });
    const once = installed(withEntry(""), { wanted });
    expect(install(once, { wanted }).changes).toBe(false);
  });

  test("of several copies one stays and the other entry between them is untouched", () => {
    const ours = entry(droidCommand("Stop"));
    const before = `{"hooks":{"Stop":[{"hooks":[${ours},${entry("say a")}]},{"hooks":[${ours}]},{"hooks":[${ours}]}]}}`;
    const after = JSON.parse(installed(before, { wanted: wantedFor("Stop") }));
    expect(after.hooks.Stop).toEqual([
      {
        hooks: [
          { type: "command", command: droidCommand("Stop") },
          { type: "command", command: "say a" },
        ],
      },
    ]);
  });

  test("a timeout too short for --wait is raised, a longer one of the user's stays", () => {
    const wanted = new Map([["Stop", { command: droidCommand("Stop"), timeout: 12, leastTimeout: 12 }]]);
    const withTimeout = (seconds: number) => {
      const before = `{"hooks":{"Stop":[{"hooks":[${entry(droidCommand("Stop"), `,"timeout":${seconds}`)}]}]}}`;
      return JSON.parse(installed(before, { wanted })).hooks.Stop[0].hooks[0].timeout;
    };
    expect([withTimeout(3), withTimeout(60)]).toEqual([12, 60]);
  });

  test("a command that only mentions the launcher is not beckon's", () => {
    const theirs = [
      "echo ~/.beckon/hook Stop --agent droid || :",
      "~/.beckon/hook Stop --agent droid || : && rm x",
      "~/.beckon/hook Stop --agent droid || say gone",
      "~/.beckon/hooks Stop --agent droid || :",
    ];
    const before = `{"hooks":{"Stop":[{"hooks":[${theirs.map((each) => entry(each)).join(",")}]}]}}`;
    const after = JSON.parse(installed(before, { wanted: wantedFor("Stop") })).hooks.Stop;
    expect(after[0].hooks.map((each: { command: string }) => each.command)).toEqual(theirs);
    expect(after).toHaveLength(2);
  });

  test("an entry on record for an event that is no longer wanted is removed; one added by hand stays", () => {
    const before = install("{}", { wanted: wantedFor("Stop", "SessionEnd", "PreToolUse") }).after;
    const entries = { Stop: { command: droidCommand("Stop"), timeout: 5 }, SessionEnd: { command: "", timeout: 5 } };
    const created = [["hooks"], ["hooks", "SessionEnd"]];
    const record = { entries, created, written: [], original: null } as never;
    const after = JSON.parse(installed(before?.toString(), { wanted: wantedFor("Stop"), record }));
    expect(Object.keys(after.hooks)).toEqual(["Stop", "PreToolUse"]);
  });
});

describe("an uninstall without a record", () => {
  const beckonCommands = beckonCommandsOf({ commands: [], roots: [] });
  const file = { path: "/h/settings.json", shape: "wrapped" as const };
  test.each([
    ["one-line object", "{}"],
    ["one line", '{"a":1}'],
    ["one line with spaces", '{"a": 1, "b": [ ]}'],
    ["one line, airy", '{ "a": 1, }'],
    [
      "comments everywhere",
      '// t\n{\n  // a\n  "a": 1, /* b */\n  "hooks": {\n    // s\n    "Stop": [\n      {"hooks": []} // x\n      // y\n    ]\n  }\n}',
    ],
    ["trailing commas", '{\n  "a": [1,],\n  "hooks": {\n    "Stop": [\n      {"hooks": []},\n    ],\n  },\n}\n'],
    ["CRLF", '{\r\n\t"a": 1\r\n}'],
    ["other hooks", `{\n  "hooks": {\n    "Stop": [{ "hooks": [${entry("a")}] }]\n  }\n}\n`],
  ])("%s: gives the bytes back", (_, text) => {
    const after = planUninstall({ file, beckonCommands, before: install(text).after }).after;
    expect(after?.toString()).toBe(text);
  });

  test("a comment in an array of beckon's keeps the array", () => {
    const ours = `{ "hooks": [${entry(droidCommand("Stop"))}] }`;
    const before = Buffer.from(`{"hooks":{"Stop":[ // keep me\n${ours}]}}`);
    expect(planUninstall({ file, beckonCommands, before }).after?.toString()).toBe(
      '{"hooks":{"Stop":[ // keep me\n]}}',
    );
  });

  test("a standalone file that is left empty is removed: it would hide the hooks in the agent's other settings", () => {
    const bare = { path: "/h/hooks.json", shape: "bare" as const };
    const before = install(undefined, { file: bare }).after;
    expect(planUninstall({ file: bare, beckonCommands, before })).toMatchObject({ changes: true, after: undefined });
  });

  test("a file without beckon's hooks is left alone", () => {
    expect(planUninstall({ file, beckonCommands, before: Buffer.from('{"a":1}') }).changes).toBe(false);
  });
});
