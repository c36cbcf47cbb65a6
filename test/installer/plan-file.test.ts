import { describe, expect, test } from "vitest";
import { SettingsError } from "../../src/core/errors.ts";
import { ownCommands } from "../../src/installer/beckon-commands.ts";
import { planInstall, planUninstall } from "../../src/installer/plan-file.ts";
import { droidCommand, planOf, wantedFor } from "../helpers/settings-tasks.ts";

const install = (text: string | undefined, change = {}) => planInstall(planOf(text, change));
const installed = (text: string | undefined, change = {}) => install(text, change).after?.toString() ?? "";
const entry = (command: string, more = "") => `{ "type": "command", "command": ${JSON.stringify(command)}${more} }`;
const refusalOf = (text: string, change = {}): SettingsError => {
  try {
    install(text, change);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error("was not refused");
};

describe("the layout of a file is kept", () => {
  test("an absent file becomes strict JSON with two spaces and a final newline", () => {
    const text = installed(undefined, { wanted: wantedFor("Stop") });
    const hooks = { Stop: [{ hooks: [{ type: "command", command: droidCommand("Stop"), timeout: 5 }] }] };
    expect(text).toBe(`${JSON.stringify({ hooks }, null, 2)}\n`);
  });

  test("a bare file has the events at its top", () => {
    const file = { path: "/h/hooks.json", shape: "bare" as const };
    expect(Object.keys(JSON.parse(installed("{}", { file })))).toEqual(["Notification", "Stop"]);
  });

  test("comments and trailing commas stay where they are, and ours comes last", () => {
    const before = `{
  // mine
  "hooks": {
    "Stop": [
      { "hooks": [${entry("say done")}] }, // why
      /* end */
    ],
  },
}`;
    const after = installed(before, { wanted: wantedFor("Stop") });
    expect(after).toBe(`{
  // mine
  "hooks": {
    "Stop": [
      { "hooks": [${entry("say done")}] }, // why
      /* end */
      {
        "hooks": [
          {
            "type": "command",
            "command": "${droidCommand("Stop")}",
            "timeout": 5
          }
        ]
      },
    ],
  },
}`);
  });

  test("a comment behind the last entry of others stays with it", () => {
    const before = `{"hooks":{"Stop":[\n  { "hooks": [] } // theirs\n]}}`;
    expect(installed(before, { wanted: wantedFor("Stop") })).toContain(`{ "hooks": [] }, // theirs\n  {`);
  });

  test.each([
    ["tabs", '{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": ['],
    ["CRLF", '{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": ['],
    ["four spaces", '{\n    "a": 1\n}', '{\n    "a": 1,\n    "hooks": {\n        "Stop": ['],
    ["one line", '{"a":1}', '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":'],
    [
      "one line with spaces",
      '{"a": 1, "b": 2}',
      '"b": 2, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": ',
    ],
    ["one line, airy", '{ "a": 1 }', '{ "a": 1, "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": '],
    ["one line, airy at commas", '{"a":1, "b":2}', '"b":2, "hooks":{"Stop":[{"hooks":[{"type":"command", "command":'],
    [
      "a hugged array",
      '{\n  "hooks": { "Stop": [{\n    "hooks": []\n  }] }\n}',
      '    "hooks": []\n  }, {\n    "hooks": [',
    ],
    ["a lone comment", "{ // c\n}", '{ // c\n  "hooks": {\n'],
  ])("%s: what is added is laid out as the file is", (_, before, expected) => {
    const after = installed(before, { wanted: wantedFor("Stop") });
    expect(after).toContain(expected);
    if (before.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(after.endsWith("\n")).toBe(before.endsWith("\n"));
  });

  test("a byte-order mark stays, with a warning for an agent that ignores such a file", () => {
    const plan = install('\ufeff{"a":1}', { ignoresFileWith: ["a byte-order mark"] });
    expect(plan.after?.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(plan.warnings.join()).toContain("a byte-order mark");
  });

  test("comments and trailing commas are warned of only where the agent minds", () => {
    const text = '{ "a": [1,], // x\n}';
    expect(install(text, { ignoresFileWith: ["comments", "trailing commas"] }).warnings).toHaveLength(2);
    expect(install(text, { ignoresFileWith: ["trailing commas"] }).warnings).toHaveLength(1);
    expect(install(text).warnings).toEqual([]);
    expect(install('{ "a": "// , }" }', { ignoresFileWith: ["comments", "trailing commas"] }).warnings).toEqual([]);
  });
});

describe("an install leaves exactly one entry of ours per event", () => {
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

  test("of several copies one stays and the foreign entry between them is untouched", () => {
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

  test("a command that only mentions the launcher is somebody else's", () => {
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

  test("an event that the record says we chose and that is no longer wanted goes; one added by hand stays", () => {
    const before = install("{}", { wanted: wantedFor("Stop", "SessionEnd", "PreToolUse") }).after;
    const entries = { Stop: { command: droidCommand("Stop"), timeout: 5 }, SessionEnd: { command: "", timeout: 5 } };
    const created = [["hooks"], ["hooks", "SessionEnd"]];
    const record = { entries, created, written: [], original: null } as never;
    const after = JSON.parse(installed(before?.toString(), { wanted: wantedFor("Stop"), record }));
    expect(Object.keys(after.hooks)).toEqual(["Stop", "PreToolUse"]);
  });
});

describe("a file that cannot be edited safely is refused", () => {
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
  ])("%.60s", (text, code, words) => {
    const error = refusalOf(text);
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });

  test("a standalone file in the wrapped form, which Droid ignores without a word", () => {
    const error = refusalOf('{"hooks":{"Stop":[]}}', { file: { path: "/h/hooks.json", shape: "bare" } });
    expect(error.message).toContain("`hooks` at line 1, column 10 must not be there");
  });

  test("UTF-16", () => {
    const before = Buffer.from("\ufeff{}", "utf16le");
    expect(() => planInstall(planOf("", { before }))).toThrow(/not UTF-8 at line 1, column 1$/);
  });

  test.each([
    ["a lone byte", Buffer.from('{\n  "a": "ü\xe9"\n}', "latin1"), 2, 9],
    ["a byte behind others of more than one", Buffer.concat([Buffer.from('{\r\n"日本": "'), Buffer.of(0x80)]), 2, 8],
    ["a character that is cut off", Buffer.from('{"a": "日').subarray(0, -1), 1, 8],
  ])("what is not UTF-8 is refused with its place: %s", (_, before, line, column) => {
    const words = new RegExp(`not UTF-8 at line ${line}, column ${column}$`);
    expect(() => planInstall(planOf("", { before }))).toThrow(words);
  });

  test("nesting too deep is refused with its place", () => {
    expect(refusalOf(`{\n"a":${"[".repeat(201)}${"]".repeat(201)}}`).message).toMatch(
      /levels deep at line 2, column 204$/,
    );
  });

  test("`__proto__` is a key like any other", () => {
    const before = '{"__proto__":{"hooks":{"Stop":1}},"constructor":1}';
    expect(installed(before, { wanted: wantedFor("Stop") })).toContain(before.slice(0, -1));
  });
});

describe("an uninstall without a record", () => {
  const own = ownCommands({ commands: [], roots: [] });
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
    ["foreign hooks", `{\n  "hooks": {\n    "Stop": [{ "hooks": [${entry("a")}] }]\n  }\n}\n`],
  ])("%s: gives the bytes back", (_, text) => {
    const after = planUninstall({ file, own, before: install(text).after }).after;
    expect(after?.toString()).toBe(text);
  });

  test("a comment in an array of ours keeps the array", () => {
    const ours = `{ "hooks": [${entry(droidCommand("Stop"))}] }`;
    const before = Buffer.from(`{"hooks":{"Stop":[ // keep me\n${ours}]}}`);
    expect(planUninstall({ file, own, before }).after?.toString()).toBe('{"hooks":{"Stop":[ // keep me\n]}}');
  });

  test("a standalone file that is left empty goes: it would hide the hooks in the agent's other settings", () => {
    const bare = { path: "/h/hooks.json", shape: "bare" as const };
    const before = install(undefined, { file: bare }).after;
    expect(planUninstall({ file: bare, own, before })).toMatchObject({ changes: true, after: undefined });
  });

  test("a file without us is left alone", () => {
    expect(planUninstall({ file, own, before: Buffer.from('{"a":1}') }).changes).toBe(false);
  });
});
