import fc from "fast-check";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import type { SettingsShape } from "../../src/core/agent-settings.ts";
import { createBeckonCommands, isBeckonCommand } from "../../src/installer/beckon-commands.ts";
import { editors } from "../../src/installer/editors/registry.ts";
import type { Content } from "../../src/installer/files/read-settings-file.ts";
import { findViolation, type InstallPlanRequest, planInstall, planUninstall } from "../../src/installer/plan-file.ts";
import type { InstallRecord } from "../../src/installer/record.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { droidCommand, makePlanRequest, makeRecord, wantedFor } from "../world/settings-tasks.ts";
import { jsoncSettings } from "./jsonc-texts.ts";
import { tomlSettings } from "./toml-texts.ts";

const install = (text: string | undefined, change = {}) => planInstall(makePlanRequest(text, change));
const installed = (text: string | undefined, change = {}) => install(text, change).after?.toString() ?? "";
const entry = (command: string, more = "") => `{ "type": "command", "command": ${JSON.stringify(command)}${more} }`;

const beckonCommands = createBeckonCommands({ commands: [], roots: [] });

describe("an install leaves exactly one beckon entry per event", () => {
  test("an older entry gets labels, the user's labels stay, and a second install writes nothing", () => {
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

  test("a timeout too short for --wait is raised, and a longer one of the user's stays", () => {
    const wanted = new Map([["Stop", { command: droidCommand("Stop"), timeout: 12, leastTimeout: 12 }]]);
    const withTimeout = (seconds: number) => {
      const before = `{"hooks":{"Stop":[{"hooks":[${entry(droidCommand("Stop"), `,"timeout":${seconds}`)}]}]}}`;
      return JSON.parse(installed(before, { wanted })).hooks.Stop[0].hooks[0].timeout;
    };
    expect([withTimeout(3), withTimeout(60)]).toEqual([12, 60]);
  });

  test("a command that only mentions the launcher is foreign", () => {
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

  test("a recorded entry for an unwanted event is removed, and one added by hand stays", () => {
    const before = install("{}", { wanted: wantedFor("Stop", "SessionEnd", "PreToolUse") }).after;
    const entries = { Stop: { command: droidCommand("Stop"), timeout: 5 }, SessionEnd: { command: "", timeout: 5 } };
    const created = [["hooks"], ["hooks", "SessionEnd"]];
    const record = { entries, created, written: [], original: null } as never;
    const after = JSON.parse(installed(before?.toString(), { wanted: wantedFor("Stop"), record }));
    expect(Object.keys(after.hooks)).toEqual(["Stop", "PreToolUse"]);
  });
});

describe("an uninstall without a record", () => {
  const file = { path: "/h/settings.json", shape: "wrapped" as const };
  const hooks = '"hooks": {\n    // s\n    "Stop": [\n      {"hooks": []} // x\n      // y\n    ]\n  }';
  const commented = `// t\n{\n  // a\n  "a": 1, /* b */\n  ${hooks}\n}`;
  test.each([
    ["one-line object", "{}"],
    ["one line", '{"a":1}'],
    ["one line with spaces", '{"a": 1, "b": [ ]}'],
    ["one spaced line", '{ "a": 1, }'],
    ["comments everywhere", commented],
    ["trailing commas", '{\n  "a": [1,],\n  "hooks": {\n    "Stop": [\n      {"hooks": []},\n    ],\n  },\n}\n'],
    ["CRLF", '{\r\n\t"a": 1\r\n}'],
    ["other hooks", `{\n  "hooks": {\n    "Stop": [{ "hooks": [${entry("a")}] }]\n  }\n}\n`],
  ])("%s: restores the bytes", (_, text) => {
    const after = planUninstall({ file, beckonCommands, before: install(text).after }).after;
    expect(after?.toString()).toBe(text);
  });

  test("a comment in a beckon array keeps the array", () => {
    const ours = `{ "hooks": [${entry(droidCommand("Stop"))}] }`;
    const before = Buffer.from(`{"hooks":{"Stop":[ // keep me\n${ours}]}}`);
    const after = planUninstall({ file, beckonCommands, before }).after?.toString();
    expect(after).toBe('{"hooks":{"Stop":[ // keep me\n]}}');
  });

  test("an empty standalone file is removed, as it would hide hooks in the agent's other settings", () => {
    const bare = { path: "/h/hooks.json", shape: "bare" as const };
    const before = install(undefined, { file: bare }).after;
    expect(planUninstall({ file: bare, beckonCommands, before })).toMatchObject({ changes: true, after: undefined });
  });

  test("a file without beckon hooks is left alone", () => {
    expect(planUninstall({ file, beckonCommands, before: Buffer.from('{"a":1}') }).changes).toBe(false);
  });
});

describe("plan file layout", () => {
  test("a missing file becomes strict JSON with two spaces and a final newline", () => {
    const text = installed(undefined, { wanted: wantedFor("Stop") });
    const hooks = { Stop: [{ hooks: [{ type: "command", command: droidCommand("Stop"), timeout: 5 }] }] };
    expect(text).toBe(`${JSON.stringify({ hooks }, null, 2)}\n`);
  });

  test("a bare file has the events at its top", () => {
    const file = { path: "/h/hooks.json", shape: "bare" as const };
    expect(Object.keys(JSON.parse(installed("{}", { file })))).toEqual(["Notification", "Stop"]);
  });

  test("comments and trailing commas stay in place, and the new entry comes last", () => {
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

  test("a comment after the last other entry stays with it", () => {
    const before = `{"hooks":{"Stop":[\n  { "hooks": [] } // theirs\n]}}`;
    expect(installed(before, { wanted: wantedFor("Stop") })).toContain(`{ "hooks": [] }, // theirs\n  {`);
  });

  const spaced = '"type": "command", "command": ';
  const hugged = '{\n  "hooks": { "Stop": [{\n    "hooks": []\n  }] }\n}';
  test.each([
    ["tabs", '{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": ['],
    ["CRLF", '{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": ['],
    ["four spaces", '{\n    "a": 1\n}', '{\n    "a": 1,\n    "hooks": {\n        "Stop": ['],
    ["one line", '{"a":1}', '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":'],
    ["one line with spaces", '{"a": 1, "b": 2}', `"b": 2, "hooks": {"Stop": [{"hooks": [{${spaced}`],
    ["one spaced line", '{ "a": 1 }', `{ "a": 1, "hooks": { "Stop": [{ "hooks": [{ ${spaced}`],
    ["spaced commas", '{"a":1, "b":2}', '"b":2, "hooks":{"Stop":[{"hooks":[{"type":"command", "command":'],
    ["a hugged array", hugged, '    "hooks": []\n  }, {\n    "hooks": ['],
    ["a lone comment", "{ // c\n}", '{ // c\n  "hooks": {\n'],
  ])("%s: additions have the layout of the file", (_, before, expected) => {
    const after = installed(before, { wanted: wantedFor("Stop") });
    expect(after).toContain(expected);
    if (before.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(after.endsWith("\n")).toBe(before.endsWith("\n"));
  });

  test("a byte-order mark stays, with a warning for an agent that ignores such a file", () => {
    const plan = install('\ufeff{"a":1}', { rules: { ignoresFileWith: ["a byte-order mark"] } });
    expect(plan.after?.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(plan.warnings.join()).toContain("a byte-order mark");
  });

  test("comments and trailing commas cause a warning only if the agent rejects them", () => {
    const text = '{ "a": [1,], // x\n}';
    expect(install(text, { rules: { ignoresFileWith: ["comments", "trailing commas"] } }).warnings).toHaveLength(2);
    expect(install(text, { rules: { ignoresFileWith: ["trailing commas"] } }).warnings).toHaveLength(1);
    expect(install(text).warnings).toEqual([]);
    const rules = { ignoresFileWith: ["comments", "trailing commas"] };
    expect(install('{ "a": "// , }" }', { rules }).warnings).toEqual([]);
  });
});

test("a file that cannot be edited safely is refused with its position", async () => {
  const rows: readonly [text: string, code: string, says: string][] = [
    ['{"a":1}}', "json", "line 1, column 8"],
    ['{"a":', "json", "line 1, column 6"],
    ["// only this", "json", "line 1"],
    ['"x"', "shape", "holds a string, not"],
    ['{"hooks":null}', "shape", "`hooks` at line 1, column 10 must be an object, not null"],
    ['{"hooks":[]}', "shape", "`hooks` at line 1, column 10 must be an object, not an array"],
    ['{"hooks":"x"}', "shape", "`hooks` at line 1, column 10 must be an object, not a string"],
    ['{"hooks":{"Stop":{}}}', "shape", "`hooks.Stop` at line 1, column 18 must be an array"],
    ['{"hooks":{"PreToolUse":"x"}}', "shape", "`hooks.PreToolUse` at line 1, column 24 must be an array"],
    ['{"hooks":{"Stop":[\n{"hooks":[]},\r\n 3]}}', "shape", "`hooks.Stop[1]` at line 3, column 2 must be an object"],
    ['{"hooks":{"Stop":[{"matcher":"x"}]}}', "shape", "`hooks.Stop[0]` at line 1, column 19 has no `hooks`"],
    ['{"hooks":{"Stop":[{"hooks":{}}]}}', "shape", "`hooks.Stop[0].hooks` at line 1, column 28 must be an array"],
    ['{"hooks":{},"hooks":{}}', "shape", "`hooks` at line 1, column 13 occurs 2 times"],
    ['{"hooks":{"Stop":[],"Stop":[]}}', "shape", "`hooks.Stop` at line 1, column 21 occurs twice"],
    [`{\n"a":${"[".repeat(201)}${"]".repeat(201)}}`, "depth", "levels deep at line 2, column 204"],
    [`${"[".repeat(20_000)}`, "depth", "200 levels"],
    [`{"a":"${"x".repeat(5 * 1024 * 1024)}"}`, "size", "5 MiB"],
  ];
  const check = ([text, code, says]: (typeof rows)[number]) => {
    const refusal = { name: "SettingsError", code: `settings.${code}`, message: expect.stringContaining(says) };
    expect(() => install(text)).toThrow(expect.objectContaining(refusal));
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("a standalone file in the wrapped form is refused, as Droid silently ignores it", () => {
  const file = { path: "/h/hooks.json", shape: "bare" };
  const words = "`hooks` at line 1, column 10 must not exist";
  expect(() => install('{"hooks":{"Stop":[]}}', { file })).toThrow(words);
});

test.each([
  ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), 1, 1],
  ["a lone byte", Buffer.from('{\n  "a": "ü\xe9"\n}', "latin1"), 2, 9],
  ["a byte after multi-byte characters", Buffer.concat([Buffer.from('{\r\n"日本": "'), Buffer.of(0x80)]), 2, 8],
  ["a truncated character", Buffer.from('{"a": "日').subarray(0, -1), 1, 8],
])("invalid UTF-8 is refused with its position: %s", (_, before, line, column) => {
  const words = new RegExp(`not UTF-8 at line ${line}, column ${column}$`);
  expect(() => planInstall(makePlanRequest("", { before }))).toThrow(words);
});

test("`__proto__` is a key like any other", () => {
  const before = '{"__proto__":{"hooks":{"Stop":1}},"constructor":1}';
  expect(installed(before, { wanted: wantedFor("Stop") })).toContain(before.slice(0, -1));
});

const runs = { numRuns: 120 };
const bash = { command: "bash", timeout: "timeoutSec", constants: { type: "command" } };
const wanted = wantedFor("Notification", "Stop");
const wantedBash = new Map([...wanted].map(([event, entry]) => [event, { ...entry, form: bash }]));

interface Family {
  readonly shape: InstallPlanRequest["file"]["shape"];
  readonly texts: fc.Arbitrary<string>;
  readonly change: Partial<InstallPlanRequest>;
  /** A comment line that somebody adds at the top. */
  readonly theirs: string;
  readonly parse: (text: string) => Record<string, unknown>;
}

const json = { theirs: "// theirs\n", parse: (text: string) => parseJson(text) as Record<string, unknown> };

const families: [string, Family][] = [
  ["groups under hooks", { ...json, shape: "wrapped", texts: jsoncSettings("wrapped"), change: {} }],
  ["groups at the top", { ...json, shape: "bare", texts: jsoncSettings("bare"), change: {} }],
  ["flat lists", { ...json, shape: "flat", texts: jsoncSettings("flat"), change: { wanted: wantedBash } }],
  ["TOML", { theirs: "# theirs\n", parse: parseToml, shape: "tables", texts: tomlSettings, change: {} }],
];

describe.each(families)("%s", (_, { shape, texts, change, theirs, parse }) => {
  const file = { path: "/h/settings", shape };
  const install = (text: string | undefined) => planInstall(makePlanRequest(text, { file, ...change }));
  const uninstall = (before: Content, record?: InstallRecord) =>
    planUninstall({ file, beckonCommands, before, ...(record ? { record } : {}) });
  const list = (text: string) => editors[shape].list({ ...file, text });
  const otherHooks = (text: string) => list(text).filter(({ command }) => !isBeckonCommand(beckonCommands, command));
  const clean = texts.filter((text) => list(text).every(({ command }) => !isBeckonCommand(beckonCommands, command)));

  /** Lists everything in a file except its hooks. In a file with groups at the top, events start with a capital. */
  const others = (text: string) =>
    Object.entries(parse(text)).filter(([name]) => !["hooks", "version"].includes(name) && !/^[A-Z]/.test(name));

  const entries = Object.fromEntries([...wanted].map(([event, { command, timeout }]) => [event, { command, timeout }]));

  test("installing twice changes nothing the second time", () => {
    const property = fc.property(texts, (text) => {
      const once = install(text).after;
      expect(install(once?.toString()).changes).toBe(false);
    });
    fc.assert(property, runs);
  });

  test("an install gives each wanted event one beckon entry, and leaves everything else unchanged", () => {
    const property = fc.property(texts, (text) => {
      const after = install(text).after?.toString() ?? "";
      for (const [event, { command }] of wanted) {
        const commands = list(after).flatMap((entry) => (entry.event === event ? [entry.command] : []));
        expect(commands.filter((each) => isBeckonCommand(beckonCommands, each))).toEqual([command]);
      }
      if (text.trim() === "") return;
      expect(otherHooks(after)).toEqual(otherHooks(text));
      expect(others(after)).toEqual(others(text));
    });
    fc.assert(property, runs);
  });

  test("an uninstall right after an install restores the bytes", () => {
    const property = fc.property(clean, (text) => {
      const plan = install(text);
      expect(uninstall(plan.after, makeRecord(plan, entries)).after?.toString()).toBe(text);
    });
    fc.assert(property, runs);
  });

  test("foreign edits between install and uninstall survive, and no beckon entry does", () => {
    const property = fc.property(texts, fc.boolean(), (text, hasRecord) => {
      const plan = install(text);
      const edited = Buffer.from(`${theirs}${plan.after}`);
      const after = uninstall(edited, hasRecord ? makeRecord(plan, entries) : undefined).after?.toString() ?? "";
      // If the file was beckon's alone and its last line had no end, the foreign line is the last and has no end
      // either.
      expect(`${after}\n`.startsWith(theirs)).toBe(true);
      expect(list(after)).toEqual(text.trim() === "" ? [] : otherHooks(text));
      expect(others(after)).toEqual(text.trim() === "" ? [] : others(text));
      const comments = (all: string) => all.match(/(?:\/\/|#) (?:l|own line|why|two)|\/\* c \*\//g) ?? [];
      if (text.trim() === "" || otherHooks(text).length === list(text).length)
        expect(comments(after)).toEqual(comments(text));
    });
    fc.assert(property, runs);
  });

  test("an install only inserts: without the inserted characters the old text is left", () => {
    const property = fc.property(clean, (text) => {
      if (text.trim() === "") return;
      const after = install(text).after?.toString() ?? "";
      let at = 0;
      for (let index = 0; index < after.length; index += 1) if (after[index] === text[at]) at += 1;
      expect(at).toBe(text.length);
    });
    fc.assert(property, runs);
  });
});

function violationIn(agent: string, text: string, shape: SettingsShape = "wrapped") {
  const schema = agents.find(({ name }) => name === agent)?.settings?.schema;
  if (!schema) throw new Error(`${agent} has no schema`);
  return findViolation(schema(shape), { path: "/settings", shape, text });
}

const command = '{ "type": "command", "command": "true" }';
const hook = (members: string) => `{ "hooks": { "PreToolUse": [{ "hooks": [{ ${members} }] }] } }`;
const commandHook = (member: string) => hook(`"type": "command", "command": "true", ${member}`);
const group = (members: string) => `{ "hooks": { "PreToolUse": [{ ${members} }] } }`;

type Row = readonly [title: string, text: string, problem: RegExp | undefined];

// Each row was tried with the agent: a problem kept the file's other hooks from running.
const claudeRows: readonly Row[] = [
  ["a matcher that is an object", group(`"matcher": { "a": "x" }, "hooks": [${command}]`), /\[0\]\.matcher` .* a text/],
  ["a matcher that is a number", group(`"matcher": 5, "hooks": [${command}]`), /\[0\]\.matcher` .* a text/],
  ["a matcher that is null", group(`"matcher": null, "hooks": [${command}]`), /\[0\]\.matcher` .* a text/],
  ["a hook that is a text", group('"hooks": ["true"]'), /hooks\.PreToolUse\[0\]\.hooks\[0\]` .* an object/],
  ["a hook that is null", group('"hooks": [null]'), /hooks\[0\]` .* an object/],
  ["a group without hooks", group('"matcher": "Bash"'), /PreToolUse\[0\]` .* has no `hooks`/],
  ["hooks that are an object", group(`"hooks": ${command}`), /\.hooks` .* a list/],
  ["a hook without a type", hook('"command": "true"'), /hooks\[0\]` .* has no `type`/],
  ["a hook of an unknown type", hook('"type": "shell", "command": "true"'), /\.type` .* does not know/],
  ["a command hook without a command", hook('"type": "command"'), /hooks\[0\]` .* has no `command`/],
  ["a command that is a number", hook('"type": "command", "command": 5'), /\.command` .* a text/],
  ["an empty command", hook('"type": "command", "command": ""'), undefined],
  ["a timeout that is a text", commandHook('"timeout": "5"'), /\.timeout` .* a number/],
  ["a timeout that is null", commandHook('"timeout": null'), /\.timeout` .* a number/],
  ["a timeout of 0", commandHook('"timeout": 0'), /\.timeout` .* more than 0/],
  ["a negative timeout", commandHook('"timeout": -1'), /\.timeout` .* more than 0/],
  ["half a second", commandHook('"timeout": 0.5'), undefined],
  ["a flag that is a text", commandHook('"async": "yes"'), /\.async` .* true or false/],
  ["an unknown shell", commandHook('"shell": "fish"'), /\.shell` .* bash or powershell/],
  ["arguments that are a text", commandHook('"args": "x"'), /\.args` .* a list/],
  ["an unknown member", commandHook('"zzz": 1'), undefined],
  ["a prompt hook without a prompt", hook('"type": "prompt"'), /has no `prompt`/],
  ["a web hook without an address", hook('"type": "http"'), /has no `url`/],
  ["an unknown event", '{ "hooks": { "Nonsense": ["true"] } }', undefined],
  ["rules that are a text", '{ "permissions": { "allow": "Bash" } }', /permissions\.allow` .* a list/],
  ["permissions that are a list", '{ "permissions": [] }', /permissions` .* an object/],
  ["values in the environment that are numbers", '{ "env": { "A": 1, "B": null } }', undefined],
  ["an environment that is a list", '{ "env": [] }', /env` .* an object/],
  ["a model that is a number", '{ "model": 5 }', /model` .* a text/],
  ["a switch that is a text", '{ "disableAllHooks": "true" }', /disableAllHooks` .* true or false/],
  ["days that are negative", '{ "cleanupPeriodDays": -1 }', /cleanupPeriodDays` .* more than 0/],
  ["a status line without a command", '{ "statusLine": { "type": "command" } }', /statusLine` .* no `command`/],
  ["a plugin switched on by a text", '{ "enabledPlugins": { "a@b": "yes" } }', /enabledPlugins/],
  ["an unknown setting", '{ "zzz": 1 }', undefined],
];

const codexRows: readonly Row[] = [
  ["a matcher that is an object", group(`"matcher": {}, "hooks": [${command}]`), /\.matcher` .* a text/],
  ["a matcher that is null", group(`"matcher": null, "hooks": [${command}]`), undefined],
  ["a group without hooks", group('"matcher": "Bash"'), undefined],
  ["a hook that is a text", group('"hooks": ["true"]'), /hooks\[0\]` .* an object/],
  ["a hook without a type", hook('"command": "true"'), /has no `type`/],
  ["a command hook without a command", hook('"type": "command"'), /has no `command`/],
  ["a timeout that is a text", commandHook('"timeout": "5"'), /\.timeout` .* a/],
  ["a timeout of 0", commandHook('"timeout": 0'), undefined],
  ["a negative timeout", commandHook('"timeout": -1'), /\.timeout` .* at least 0/],
  ["half a second", commandHook('"timeout": 0.5'), /\.timeout` .* a whole number/],
  ["a setting beside hooks", '{ "hooks": {}, "zzz": 1 }', /zzz` at line 1, column 16 is a setting .* does not know/],
  ["a schema's address", '{ "$schema": "x" }', /\$schema` .* does not know/],
  ["a description", '{ "description": "x" }', undefined],
  ["a description that is a number", '{ "description": 5 }', /description` .* a text/],
];

const droidRows: readonly Row[] = [
  ["a matcher that is an object", group(`"matcher": {}, "hooks": [${command}]`), /\.matcher` .* a text/],
  ["a matcher that is null", group(`"matcher": null, "hooks": [${command}]`), /\.matcher` .* a text/],
  ["a hook that is a text", group('"hooks": ["true"]'), /hooks\[0\]` .* an object/],
  ["a hook without a type", hook('"command": "true"'), /has no `type`/],
  ["a command that is a number", hook('"type": "command", "command": 5'), /\.command` .* a text/],
  ["a timeout that is a text", commandHook('"timeout": "5"'), /\.timeout` .* a number/],
  ["a timeout of 0", commandHook('"timeout": 0'), undefined],
  ["a negative timeout", commandHook('"timeout": -1'), undefined],
  ["a sound that is a number", '{ "completionSound": 5 }', undefined],
];

// From reports and documentation: Cursor was not tried.
const cursorRows: readonly Row[] = [
  ["an event of another agent", '{ "hooks": { "notification": [] } }', /hooks\.notification` at line 1, column 14 is/],
  ["an event in capitals", '{ "hooks": { "stop": [], "Stop": [] } }', /hooks\.Stop` at line 1, column 26 is/],
  ["a URL in a command", '{ "hooks": { "stop": [{ "command": "curl http://a" }] } }', /\.command` .* contain a URL/],
  ["an event without hooks", '{ "version": 1, "hooks": { "stop": [], "workspaceOpen": [] } }', undefined],
  ["a prompt, and foreign members", '{ "zzz": 1, "hooks": { "preToolUse": [{ "prompt": "x", "y": 2 }] } }', undefined],
  ["two slashes in a path", '{ "hooks": { "stop": [{ "command": "~//bin/a" }] } }', undefined],
];

const tables = { claude: claudeRows, codex: codexRows, droid: droidRows, cursor: cursorRows };

function expectProblem(found: ReturnType<typeof violationIn>, problem: RegExp | undefined): void {
  expect(found).toEqual(problem && { problem: expect.stringMatching(problem), isTolerated: false });
}

test.each(Object.entries(tables))("%s refuses exactly the rows it refused when tried", async (agent, rows) => {
  const check = ([, text, problem]: Row) => expectProblem(violationIn(agent, text), problem);
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("a position is that of the member, also with comments and other line ends", () => {
  const text = '{\r\n  // mine\r\n  "hooks": {\r\n    "Stop": [\r\n      { "matcher": 1, "hooks": [] }\r\n]}}\r\n';
  const problem = '`hooks.Stop[0].matcher` at line 5, column 9 must be a text in quotes, such as "value"';
  expect(violationIn("claude", text)).toEqual({ problem, isTolerated: false });
});

test("a rule of only some versions is named as such, and after those of all versions", () => {
  const rules = '{ "permissions": { "allow": ["Bash(git *)", "mcp__a__b", "Bash(", 5] } }';
  const problem = expect.stringMatching(/^`permissions\.allow\[2\]` at line 1, column 58 must be a tool's name/);
  expect(violationIn("claude", rules)).toEqual({ problem, isTolerated: true });
  const both = '{ "permissions": { "allow": [5] }, "model": 5 }';
  const first = expect.stringMatching(/^`model` /);
  expect(violationIn("claude", both)).toMatchObject({ problem: first, isTolerated: false });
});

test("a file with the events at its top is checked as well", () => {
  const text = '{ "Stop": [{ "hooks": ["true"] }], "$schema": 5 }';
  expect(violationIn("droid", text, "bare")?.problem).toMatch(/^`Stop\[0\]\.hooks\[0\]` at line 1, column 24 /);
});

test("a TOML hook is located by its table, or by its place in an array", async () => {
  const table = (member: string) => `telemetry = false\n\n[[hooks]]\nevent = "Stop"\ncommand = "true"\n${member}\n`;
  const rows = [
    ["an unknown member", table('name = "x"'), /^`hooks\[0\]\.name` at line 6, column 1 is a setting .* does not know/],
    ["a timeout that is a text", table('timeout = "5"'), /^`hooks\[0\]\.timeout` at line 6, column 1 must be a number/],
    ["a timeout of 0", table("timeout = 0"), /^`hooks\[0\]\.timeout` at line 6, column 1 must be at least 1$/],
    ["a long timeout", table("timeout = 601"), /must be 600 at most$/],
    ["no command", '[[hooks]]\nevent = "Stop"\n', /^`hooks\[0\]` at line 1, column 1 has no `command`$/],
    ["an array", 'hooks = [{ event = "Stop", command = "x", a = 1 }]\n', /^`hooks\[0\]\.a` at line 1, column 43 /],
    ["a matcher", table('matcher = ""\ntimeout = 5'), undefined],
    ["no hooks", "telemetry = false\n", undefined],
  ] as const;
  const check = ([, text, problem]: (typeof rows)[number]) =>
    expectProblem(violationIn("kimi", text, "tables"), problem);
  expect(await collectFailures(rows, check)).toEqual([]);
});
