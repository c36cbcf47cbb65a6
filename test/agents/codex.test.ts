import { expect, test } from "vitest";
import { untrustedEvents } from "../../src/cli/agents/trust-codex.ts";
import { trustLevel } from "../../src/agents/shared/folder-trust.ts";
import { ownCommands } from "../../src/installer/beckon-commands.ts";

const own = ownCommands({ commands: [], roots: [] });
const path = "/home/me/.codex/hooks.json";
const ours = (event: string) => ({ type: "command", command: `~/.beckon/hook ${event} --agent codex || :` });
const other = { type: "command", command: "say done" };
const file = {
  hooks: {
    Stop: [{ hooks: [other] }, { hooks: [other, ours("Stop")] }],
    PermissionRequest: [{ hooks: [ours("PermissionRequest")] }],
    SessionStart: [{ hooks: [other] }],
  },
};
const trusting = (...keys: string[]) => ({
  hooks: { state: Object.fromEntries(keys.map((key) => [`${path}:${key}`, { trusted_hash: "sha256:ab" }])) },
});

test.each([
  ["nothing is trusted", {}, ["Stop", "PermissionRequest"]],
  ["there is no configuration", undefined, ["Stop", "PermissionRequest"]],
  ["all of ours are", trusting("stop:1:1", "permission_request:0:0"), []],
  ["another's in the same event is", trusting("stop:0:0", "permission_request:0:0"), ["Stop"]],
  ["ours was at another place", trusting("stop:0:1", "permission_request:0:0"), ["Stop"]],
  ["the state is of another shape", { hooks: { state: ["x"] } }, ["Stop", "PermissionRequest"]],
])("Codex: %s", (_, config, events) => expect(untrustedEvents(file, config, path, own)).toEqual(events));

test.each([
  [undefined],
  [null],
  [7],
  [{ hooks: [] }],
  [{ hooks: { Stop: {} } }],
  [{ hooks: { Stop: [7, { hooks: 7 }] } }],
])("Codex: a hooks file like %j has nothing of ours to trust", (value) =>
  expect(untrustedEvents(value, {}, path, own)).toEqual([]),
);

test.each([
  ["no rule", {}, undefined],
  ["no rules at all", undefined, undefined],
  ["the folder itself", { "/code/shop": "TRUST_FOLDER" }, "yes"],
  ["a folder above it", { "/code": "TRUST_FOLDER" }, "yes"],
  ["a neighbour's parent", { "/code/other": "TRUST_PARENT" }, "yes"],
  ["a neighbour", { "/code/other": "TRUST_FOLDER" }, undefined],
  ["a name that only begins alike", { "/co": "TRUST_FOLDER" }, undefined],
  ["the folder itself, not", { "/code": "TRUST_FOLDER", "/code/shop": "DO_NOT_TRUST" }, "no"],
  ["a word nobody knows", { "/code/shop": "PERHAPS" }, undefined],
])("Gemini and Qwen: %s", (_, rules, level) => expect(trustLevel(rules, "/code/shop")).toBe(level));
