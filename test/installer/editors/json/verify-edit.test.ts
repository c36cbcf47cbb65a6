import { expect, test } from "vitest";
import { beckonCommandsOf } from "../../../../src/installer/beckon-commands.ts";
import { readHooks } from "../../../../src/installer/editors/json/hook-tree.ts";
import { verifyEdit } from "../../../../src/installer/editors/json/verify-edit.ts";
import { droidCommand } from "../../../world/settings-tasks.ts";

const beckonCommands = beckonCommandsOf({ commands: [], roots: [] });
const ours = `{ "hooks": [{ "type": "command", "command": "${droidCommand("Stop")}" }] }`;
const theirs = (name: string) => `{ "hooks": [{ "type": "command", "command": "${name}" }] }`;
const verify = (before: string, after: string) => {
  const read = (text: string) => readHooks({ path: "/f", text, shape: "wrapped" });
  verifyEdit(read(before), read(after), beckonCommands);
};

test.each([
  ["an entry of beckon's that comes", "{}", `{ "hooks": { "Stop": [${ours}] } }`],
  [
    "an entry of beckon's that goes",
    `{ "hooks": { "Stop": [${theirs("a")}, ${ours}] } }`,
    `{ "hooks": { "Stop": [${theirs("a")}] } }`,
  ],
  ["layout and commas", '{ "a": [1, 2] }', '{"a":[1,2,],}'],
])("%s is allowed", (_, before, after) => {
  verify(before, after);
});

test.each([
  ["a value that changes", '{ "a": 1 }', '{ "a": 2 }'],
  ["a number spelt otherwise", '{ "a": 1.0 }', '{ "a": 1 }'],
  ["a member that goes", '{ "a": 1, "b": 2 }', '{ "a": 1 }'],
  ["members that change places", '{ "a": 1, "b": 2 }', '{ "b": 2, "a": 1 }'],
  ["a comment that goes", '{ "a": 1 // x\n}', '{ "a": 1 }'],
  ["a comment in a container of beckon's that goes", `{ "hooks": { "Stop": [ /* x */ ${ours}] } }`, "{}"],
  [
    "others' entries that change places",
    `{ "hooks": { "Stop": [${theirs("a")}, ${theirs("b")}] } }`,
    `{ "hooks": { "Stop": [${theirs("b")}, ${theirs("a")}] } }`,
  ],
  [
    "an entry that moves to another event",
    `{ "hooks": { "Stop": [${theirs("a")}] } }`,
    `{ "hooks": { "SessionEnd": [${theirs("a")}] } }`,
  ],
  [
    "another entry in a group of beckon's that goes",
    `{ "hooks": { "Stop": [{ "hooks": [{ "type": "prompt" }] }] } }`,
    `{ "hooks": { "Stop": [${ours}] } }`,
  ],
])("%s is refused", (_, before, after) => {
  expect(() => verify(before, after)).toThrow(/more than beckon's entries/);
});
