import { expect, test } from "vitest";
import { planInstall } from "../../src/installer/plan-file.ts";
import { droidCommand, planOf, wantedFor } from "../world/settings-tasks.ts";

const install = (text: string | undefined, change = {}) => planInstall(planOf(text, change));
const installed = (text: string | undefined, change = {}) => install(text, change).after?.toString() ?? "";
const entry = (command: string, more = "") => `{ "type": "command", "command": ${JSON.stringify(command)}${more} }`;

test("an absent file becomes strict JSON with two spaces and a final newline", () => {
  const text = installed(undefined, { wanted: wantedFor("Stop") });
  const hooks = { Stop: [{ hooks: [{ type: "command", command: droidCommand("Stop"), timeout: 5 }] }] };
  expect(text).toBe(`${JSON.stringify({ hooks }, null, 2)}\n`);
});

test("a bare file has the events at its top", () => {
  const file = { path: "/h/hooks.json", shape: "bare" as const };
  expect(Object.keys(JSON.parse(installed("{}", { file })))).toEqual(["Notification", "Stop"]);
});

test("comments and trailing commas stay where they are, and the new entry comes last", () => {
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

test.each([
  ["tabs", '{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": ['],
  ["CRLF", '{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": ['],
  ["four spaces", '{\n    "a": 1\n}', '{\n    "a": 1,\n    "hooks": {\n        "Stop": ['],
  ["one line", '{"a":1}', '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":'],
  ["one line with spaces", '{"a": 1, "b": 2}', '"b": 2, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": '],
  ["one line, airy", '{ "a": 1 }', '{ "a": 1, "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": '],
  ["one line, airy at commas", '{"a":1, "b":2}', '"b":2, "hooks":{"Stop":[{"hooks":[{"type":"command", "command":'],
  [
    "a hugged array",
    '{\n  "hooks": { "Stop": [{\n    "hooks": []\n  }] }\n}',
    '    "hooks": []\n  }, {\n    "hooks": [',
  ],
  ["a lone comment", "{ // c\n}", '{ // c\n  "hooks": {\n'],
])("%s: what is added has the layout of the file", (_, before, expected) => {
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

test("comments and trailing commas cause a warning only where the agent minds", () => {
  const text = '{ "a": [1,], // x\n}';
  expect(install(text, { ignoresFileWith: ["comments", "trailing commas"] }).warnings).toHaveLength(2);
  expect(install(text, { ignoresFileWith: ["trailing commas"] }).warnings).toHaveLength(1);
  expect(install(text).warnings).toEqual([]);
  expect(install('{ "a": "// , }" }', { ignoresFileWith: ["comments", "trailing commas"] }).warnings).toEqual([]);
});
