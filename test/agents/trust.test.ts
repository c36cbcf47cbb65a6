import { expect, test } from "vitest";
import { untrustedEvents } from "../../src/agents/codex.ts";
import { agentNamed } from "../../src/agents/registry.ts";
import { trustLevel } from "../../src/agents/shared/gemini-family.ts";
import type { Scope } from "../../src/core/agent-settings.ts";

interface World {
  /** Values of JSON and TOML files by path. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly scope?: Scope;
  readonly path?: string;
  readonly target?: string;
  readonly env?: NodeJS.ProcessEnv;
}

function readTrust(agent: string, { files = {}, scope = "user", path = "", target = path, env = {} }: World) {
  return agentNamed(agent)?.settings?.readTrust?.({
    environment: { home: "/home/ann", project: "/home/ann/code/shop", env, platform: "linux" },
    files: [{ scope, path, target }],
    readValue: async (file) => files[file],
    isBeckonCommand: (command) => command === "beckon",
  });
}

const accepted = { projects: { "/home/ann/code": { hasTrustDialogAccepted: true } } };
const hooks = { hooks: { Stop: [{ hooks: [{ command: "beckon" }] }] } };
const acceptedElsewhere: World = { files: { "/etc/c/.claude.json": accepted }, env: { CLAUDE_CONFIG_DIR: "/etc/c" } };

/** Makes a world with a hooks file whose hash Codex keeps by path. */
function reviewed(path: string): World {
  const config = { hooks: { state: { [`${path}:stop:0:0`]: { trusted_hash: "x" } } } };
  return { path: "/h.json", files: { "/h.json": hooks, "/home/ann/.codex/config.toml": config } };
}

/** Makes a world with the settings of Gemini or Qwen, and the project's rule if there is one. */
function folderTrust(agent: string, enabled: boolean, rule?: string): World {
  const rules = rule && { [`/home/ann/.${agent}/trustedFolders.json`]: { "/home/ann/code/shop": rule } };
  return { files: { [`/home/ann/.${agent}/settings.json`]: { security: { folderTrust: { enabled } } }, ...rules } };
}

test.each<[string, string, World, string | undefined]>([
  ["claude", "a folder above was accepted", { files: { "/home/ann/.claude.json": accepted } }, "trusted"],
  ["claude", "the folder was accepted, with the settings folder elsewhere", acceptedElsewhere, "trusted"],
  ["claude", "the record has no entry", {}, "unknown"],
  ["codex", "the hook has a hash", reviewed("/h.json"), "trusted"],
  ["codex", "the hook has a hash by the file's real path", { ...reviewed("/r.json"), target: "/r.json" }, "trusted"],
  ["codex", "the hook has no hash", { path: "/h.json", files: { "/h.json": hooks } }, "untrusted"],
  ["gemini", "folders need no trust", { scope: "project", ...folderTrust("gemini", false) }, undefined],
  ["gemini", "trust is on by default", { scope: "project" }, "untrusted"],
  ["qwen", "folders need no trust by default", { scope: "project" }, undefined],
  ["gemini", "no rule names the project", { scope: "project", ...folderTrust("gemini", true) }, "untrusted"],
  ["gemini", "no rule names the project, and hooks are the user's", folderTrust("gemini", true), "undecided"],
  ["qwen", "a rule trusts the project", folderTrust("qwen", true, "TRUST_FOLDER"), "trusted"],
  ["qwen", "a rule distrusts the project", folderTrust("qwen", true, "DO_NOT_TRUST"), "untrusted"],
  ["grok", "hooks are the user's", {}, undefined],
  ["grok", "hooks are the project's", { scope: "project" }, "unknown"],
  ["droid", "its trust is unknown", {}, undefined],
])("trust of %s if %s", async (agent, _, world, state) => {
  expect((await readTrust(agent, world))?.state).toBe(state);
});

test.each([
  ["no rule", {}, undefined],
  ["no rules at all", undefined, undefined],
  ["the folder itself", { "/code/shop": "TRUST_FOLDER" }, "yes"],
  ["a folder above it", { "/code": "TRUST_FOLDER" }, "yes"],
  ["a neighbour's parent", { "/code/other": "TRUST_PARENT" }, "yes"],
  ["a neighbour", { "/code/other": "TRUST_FOLDER" }, undefined],
  ["a name that only begins alike", { "/co": "TRUST_FOLDER" }, undefined],
  ["the folder itself, not trusted", { "/code": "TRUST_FOLDER", "/code/shop": "DO_NOT_TRUST" }, "no"],
  ["an unknown word", { "/code/shop": "PERHAPS" }, undefined],
])("trust of /code/shop by %s", (_, rules, level) => {
  expect(trustLevel(rules, "/code/shop")).toBe(level);
});

const path = "/home/me/.codex/hooks.json";
const isBeckonCommand = (command: string): boolean => command.startsWith("~/.beckon/hook ");
const ours = (event: string) => ({ type: "command", command: `~/.beckon/hook ${event} --agent codex || :` });
const other = { type: "command", command: "say done" };
const file = {
  hooks: {
    ...{ Stop: [{ hooks: [other] }, { hooks: [other, ours("Stop")] }], SessionStart: [{ hooks: [other] }] },
    PermissionRequest: [{ hooks: [ours("PermissionRequest")] }],
  },
};
const trusting = (...keys: string[]) => ({
  hooks: { state: Object.fromEntries(keys.map((key) => [`${path}:${key}`, { trusted_hash: "sha256:ab" }])) },
});

test.each([
  ["no hook is trusted", {}, ["Stop", "PermissionRequest"]],
  ["there is no configuration", undefined, ["Stop", "PermissionRequest"]],
  ["all of beckon's hooks are trusted", trusting("stop:1:1", "permission_request:0:0"), []],
  ["another hook of an event is trusted", trusting("stop:0:0", "permission_request:0:0"), ["Stop"]],
  ["the hook was trusted at another position", trusting("stop:0:1", "permission_request:0:0"), ["Stop"]],
  ["the state has another shape", { hooks: { state: ["x"] } }, ["Stop", "PermissionRequest"]],
])("untrusted events if %s", (_, config, events) => {
  expect(untrustedEvents(file, config, path, isBeckonCommand)).toEqual(events);
});

test("a hooks file of another shape has no untrusted event", () => {
  const files = [undefined, null, 7, { hooks: [] }, { hooks: { Stop: {} } }, { hooks: { Stop: [7, { hooks: 7 }] } }];
  expect(files.map((odd) => untrustedEvents(odd, {}, path, isBeckonCommand))).toEqual(files.map(() => []));
});
