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
