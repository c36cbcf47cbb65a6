import { expect, test } from "vitest";
import { agentNamed } from "../../src/agents/registry.ts";
import type { Scope } from "../../src/core/agent-settings.ts";

interface World {
  /** Values of JSON and TOML files by path. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly scope?: Scope;
  readonly path?: string;
  readonly target?: string;
  readonly env?: NodeJS.ProcessEnv;
}

const shop = "/home/ann/code/shop";

function readTrust(agent: string, { files = {}, scope = "user", path = "", target = path, env = {} }: World) {
  return agentNamed(agent)?.settings?.readTrust?.({
    environment: { home: "/home/ann", project: shop, env, platform: "linux" },
    files: [{ scope, path, target }],
    readValue: async (file) => files[file],
    isBeckonCommand: (command) => command.startsWith("~/.beckon/hook "),
  });
}

const accepted = { projects: { "/home/ann/code": { hasTrustDialogAccepted: true } } };
const acceptedElsewhere: World = { files: { "/etc/c/.claude.json": accepted }, env: { CLAUDE_CONFIG_DIR: "/etc/c" } };

/** Makes a world with the settings of Gemini or Qwen, and rules for folders if there are any. */
function folderTrust(agent: string, rules?: object, enabled = true): World {
  const settings = { security: { folderTrust: { enabled } } };
  const folder = `/home/ann/.${agent}`;
  return { files: { [`${folder}/settings.json`]: settings, [`${folder}/trustedFolders.json`]: rules } };
}

test.each<[string, string, World, string | undefined]>([
  ["claude", "a folder above was accepted", { files: { "/home/ann/.claude.json": accepted } }, "trusted"],
  ["claude", "the folder was accepted, with the settings folder elsewhere", acceptedElsewhere, "trusted"],
  ["claude", "the record has no entry", {}, "unknown"],
  ["gemini", "folders need no trust", { scope: "project", ...folderTrust("gemini", {}, false) }, undefined],
  ["gemini", "trust is on by default", { scope: "project" }, "untrusted"],
  ["qwen", "folders need no trust by default", { scope: "project" }, undefined],
  ["gemini", "no rule names the project", { scope: "project", ...folderTrust("gemini", {}) }, "untrusted"],
  ["gemini", "there are no rules, and hooks are the user's", folderTrust("gemini"), "undecided"],
  ["qwen", "a rule trusts the project", folderTrust("qwen", { [shop]: "TRUST_FOLDER" }), "trusted"],
  ["gemini", "a rule trusts a folder above", folderTrust("gemini", { "/home/ann": "TRUST_FOLDER" }), "trusted"],
  ["gemini", "a rule trusts a neighbour's parent", folderTrust("gemini", { [`${shop}2`]: "TRUST_PARENT" }), "trusted"],
  ["gemini", "a rule trusts a neighbour", folderTrust("gemini", { [`${shop}2`]: "TRUST_FOLDER" }), "undecided"],
  ["gemini", "a rule's name begins alike", folderTrust("gemini", { "/home/an": "TRUST_FOLDER" }), "undecided"],
  ["gemini", "a rule has an unknown word", folderTrust("gemini", { [shop]: "PERHAPS" }), "undecided"],
  [
    "gemini",
    "a rule distrusts the project in a trusted folder",
    folderTrust("gemini", { "/home/ann": "TRUST_FOLDER", [shop]: "DO_NOT_TRUST" }),
    "untrusted",
  ],
  ["grok", "hooks are the user's", {}, undefined],
  ["grok", "hooks are the project's", { scope: "project" }, "unknown"],
  ["droid", "its trust is unknown", {}, undefined],
])("trust of %s if %s", async (agent, _, world, state) => {
  expect((await readTrust(agent, world))?.state).toBe(state);
});

const path = "/home/ann/.codex/hooks.json";
const ours = (event: string) => ({ type: "command", command: `~/.beckon/hook ${event} --agent codex || :` });
const other = { type: "command", command: "say done" };
const file = {
  hooks: {
    ...{ Stop: [{ hooks: [other] }, { hooks: [other, ours("Stop")] }], SessionStart: [{ hooks: [other] }] },
    PermissionRequest: [{ hooks: [ours("PermissionRequest")] }],
  },
};
const trusting = (keys: readonly string[], by = path) => ({
  hooks: { state: Object.fromEntries(keys.map((key) => [`${by}:${key}`, { trusted_hash: "sha256:ab" }])) },
});
const all = ["stop:1:1", "permission_request:0:0"];
const trusted = "trusted, as far as the hooks were not changed since";

test.each<[string, unknown, string, hooks?: unknown]>([
  ["no hook has a hash", {}, "not trusted for Stop, PermissionRequest"],
  ["there is no configuration", undefined, "not trusted for Stop, PermissionRequest"],
  ["all of beckon's hooks have one", trusting(all), trusted],
  ["they have one by the file's real path", trusting(all, "/r.json"), trusted],
  ["another hook of an event has one", trusting(["stop:0:0", "permission_request:0:0"]), "not trusted for Stop"],
  ["the hook had one at another position", trusting(["stop:0:1", "permission_request:0:0"]), "not trusted for Stop"],
  ["the state has another shape", { hooks: { state: ["x"] } }, "not trusted for Stop, PermissionRequest"],
  ...[null, 7, { hooks: [] }, { hooks: { Stop: {} } }, { hooks: { Stop: [7, { hooks: 7 }] } }].map(
    (odd): [string, unknown, string, hooks: unknown] => ["the hooks file has another shape", {}, trusted, odd],
  ),
])("trust of Codex if %s", async (_, config, detail, hooks = file) => {
  const files = { [path]: hooks, "/home/ann/.codex/config.toml": config };
  expect(await readTrust("codex", { path, target: "/r.json", files })).toMatchObject({ detail });
});
