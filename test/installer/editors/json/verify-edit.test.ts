import { expect, test } from "vitest";
import { readHooks } from "../../../../src/installer/editors/json/hook-tree.ts";
import { ownCommands } from "../../../../src/installer/beckon-commands.ts";
import { verifyForeign } from "../../../../src/installer/editors/json/verify-edit.ts";
import { droidCommand } from "../../../helpers/settings-tasks.ts";

const own = ownCommands({ commands: [], roots: [] });
const ours = `{ "hooks": [{ "type": "command", "command": "${droidCommand("Stop")}" }] }`;
const theirs = (name: string) => `{ "hooks": [{ "type": "command", "command": "${name}" }] }`;
const verify = (before: string, after: string) => {
  const read = (text: string) => ({ tree: readHooks({ file: "/f", text, shape: "wrapped" }), passing: [] });
  verifyForeign(read(before), read(after), own);
};

test.each([
  ["an entry of ours that comes", "{}", `{ "hooks": { "Stop": [${ours}] } }`],
  [
    "an entry of ours that goes",
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
  ["a comment in a container of ours that goes", `{ "hooks": { "Stop": [ /* x */ ${ours}] } }`, "{}"],
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
    "a foreign entry in our group that goes",
    `{ "hooks": { "Stop": [{ "hooks": [{ "type": "prompt" }] }] } }`,
    `{ "hooks": { "Stop": [${ours}] } }`,
  ],
])("%s is refused", (_, before, after) => {
  expect(() => verify(before, after)).toThrow(/more than beckon's entries/);
});
