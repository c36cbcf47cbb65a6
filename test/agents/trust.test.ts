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
const reviewed = (path: string) => ({ hooks: { state: { [`${path}:stop:0:0`]: { trusted_hash: "x" } } } });
const folderTrust = { security: { folderTrust: { enabled: true } } };
const rules = (rule: string) => ({ "/home/ann/code/shop": rule });

test.each<[string, string, World, string | undefined]>([
  ["claude", "a folder above was accepted", { files: { "/home/ann/.claude.json": accepted } }, "trusted"],
  [
    "claude",
    "it was accepted, with a folder of settings elsewhere",
    { files: { "/etc/c/.claude.json": accepted }, env: { CLAUDE_CONFIG_DIR: "/etc/c" } },
    "trusted",
  ],
  ["claude", "there is no word of it", {}, "unknown"],
  [
    "codex",
    "the hook has a hash",
    { path: "/h.json", files: { "/h.json": hooks, "/home/ann/.codex/config.toml": reviewed("/h.json") } },
    "trusted",
  ],
  [
    "codex",
    "the hook has a hash by the file's real path",
    {
      path: "/h.json",
      target: "/r.json",
      files: { "/h.json": hooks, "/home/ann/.codex/config.toml": reviewed("/r.json") },
    },
    "trusted",
  ],
  ["codex", "the hook has no hash", { path: "/h.json", files: { "/h.json": hooks } }, "untrusted"],
  [
    "gemini",
    "folders need no trust",
    {
      scope: "project",
      files: { "/home/ann/.gemini/settings.json": { security: { folderTrust: { enabled: false } } } },
    },
    undefined,
  ],
  ["gemini", "trust is on, as it is by default", { scope: "project" }, "untrusted"],
  ["qwen", "folders need no trust, as by default", { scope: "project" }, undefined],
  [
    "gemini",
    "no rule names the project",
    { scope: "project", files: { "/home/ann/.gemini/settings.json": folderTrust } },
    "untrusted",
  ],
  [
    "gemini",
    "no rule names the project, and hooks are the user's",
    { files: { "/home/ann/.gemini/settings.json": folderTrust } },
    "undecided",
  ],
  [
    "qwen",
    "a rule trusts the project",
    {
      files: {
        "/home/ann/.qwen/settings.json": folderTrust,
        "/home/ann/.qwen/trustedFolders.json": rules("TRUST_FOLDER"),
      },
    },
    "trusted",
  ],
  [
    "qwen",
    "a rule distrusts the project",
    {
      files: {
        "/home/ann/.qwen/settings.json": folderTrust,
        "/home/ann/.qwen/trustedFolders.json": rules("DO_NOT_TRUST"),
      },
    },
    "untrusted",
  ],
  ["grok", "hooks are the user's", {}, undefined],
  ["grok", "hooks are the project's", { scope: "project" }, "unknown"],
  ["droid", "nothing is known of its trust", {}, undefined],
])("trust of %s where %s", async (agent, _, world, state) => {
  expect((await readTrust(agent, world))?.state).toBe(state);
});
