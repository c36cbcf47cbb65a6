import { expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import type { SettingsShape } from "../../src/core/agent-settings.ts";
import { findViolation } from "../../src/installer/plan-file.ts";
import { collectFailures } from "../world/collect-failures.ts";

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
  [
    "a matcher that is an object",
    group(`"matcher": { "type": "x" }, "hooks": [${command}]`),
    /\[0\]\.matcher` .* a text/,
  ],
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
  [
    "a setting next to the hooks",
    '{ "hooks": {}, "zzz": 1 }',
    /zzz` at line 1, column 16 is a setting .* does not know/,
  ],
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

const tables = { claude: claudeRows, codex: codexRows, droid: droidRows };

test.each(Object.entries(tables))("%s refuses exactly the rows it refused when tried", async (agent, rows) => {
  const check = ([, text, problem]: Row) => {
    const found = violationIn(agent, text);
    if (problem) expect(found).toEqual({ problem: expect.stringMatching(problem), isTolerated: false });
    else expect(found).toBeUndefined();
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("a position is that of the member, also with comments and other line ends", () => {
  const text =
    '{\r\n  // mine\r\n  "hooks": {\r\n    "Stop": [\r\n      { "matcher": 1, "hooks": [] }\r\n    ]\r\n  }\r\n}\r\n';
  const problem = "`hooks.Stop[0].matcher` at line 5, column 9 must be a text in quotes";
  expect(violationIn("claude", text)).toEqual({ problem, isTolerated: false });
});

test("a rule of only some versions is named as such, and after those of all versions", () => {
  const rules = '{ "permissions": { "allow": ["Bash(git *)", "mcp__a__b", "Bash(", 5] } }';
  const problem = expect.stringMatching(/^`permissions\.allow\[2\]` at line 1, column 58 must be a tool's name/);
  expect(violationIn("claude", rules)).toEqual({ problem, isTolerated: true });
  const both = '{ "permissions": { "allow": [5] }, "model": 5 }';
  expect(violationIn("claude", both)).toMatchObject({
    problem: expect.stringMatching(/^`model` /),
    isTolerated: false,
  });
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
  const check = ([, text, problem]: (typeof rows)[number]) => {
    const found = violationIn("kimi", text, "tables")?.problem;
    if (problem) expect(found).toMatch(problem);
    else expect(found).toBeUndefined();
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});
