import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { runUninstall } from "../../../../src/cli/commands/uninstall.ts";
import { runUpgrade } from "../../../../src/cli/commands/upgrade.ts";
import { installWorld, readExitCode } from "../../../world/install-world.ts";

const files = {
  ".claude.json": '{\n  "numStartups": 5,\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n',
  ".claude/settings.json": "{}\n",
  ".codex/config.toml": 'model = "x"\n',
  ".config/opencode/opencode.json": '{\n  "model": "x"\n}\n',
};
const agents = ["claude", "codex", "opencode"];

test("install --mcp registers the server in each agent's own file, and uninstall restores every byte", async () => {
  const { context, at, output } = installWorld({ files });
  expect(await runInstall({ agents, mcp: true, yes: true }, context)).toBe(0);
  const cli = join(context.paths.app, "dist", "cli.js");
  const { mcpServers } = JSON.parse(readFileSync(at(".claude.json"), "utf8"));
  expect(mcpServers.other).toEqual({ command: "x" });
  expect(mcpServers.beckon).toMatchObject({ command: expect.stringMatching(/node/), args: [cli, "mcp"] });
  expect(readFileSync(at(".codex/config.toml"), "utf8")).toMatch(
    /\n\[mcp_servers\.beckon\]\ncommand = ".*node.*"\nargs = \[/,
  );
  const { mcp } = JSON.parse(readFileSync(at(".config/opencode/opencode.json"), "utf8"));
  expect(mcp.beckon).toMatchObject({ type: "local", command: [expect.stringMatching(/node/), cli, "mcp"] });
  expect(output()).toMatch(/Claude Code +\+\d hooks +~\/\.claude\/settings\.json\n +\+1 MCP server +~\/\.claude\.json/);
  expect(output()).toContain("Claude Code: tools written to ~/.claude.json");
  expect(await runUninstall({ yes: true }, context)).toBe(0);
  for (const [path, text] of Object.entries(files)) expect(readFileSync(at(path), "utf8"), path).toBe(text);
  expect(output()).toContain("Removed beckon's tools from ~/.claude.json");
});

test("without --mcp no server is registered, and one that is registered stays", async () => {
  const { context, at } = installWorld({ files });
  await runInstall({ agents, yes: true }, context);
  expect(readFileSync(at(".claude.json"), "utf8")).toBe(files[".claude.json"]);
  await runInstall({ agents, mcp: true, yes: true }, context);
  const registered = readFileSync(at(".claude.json"), "utf8");
  await runInstall({ agents, yes: true }, context);
  expect(readFileSync(at(".claude.json"), "utf8")).toBe(registered);
});

test("a file that the agent has changed since loses the server alone, also without a record", async () => {
  const { context, at } = installWorld({ files });
  await runInstall({ agents: ["claude"], mcp: true, yes: true }, context);
  const changed = readFileSync(at(".claude.json"), "utf8").replace(": 5", ": 6");
  for (const hasRecord of [true, false]) {
    writeFileSync(at(".claude.json"), changed);
    if (!hasRecord) rmSync(join(context.paths.state, "installs"), { recursive: true, force: true });
    expect(await runUninstall({ yes: true }, context)).toBe(0);
    expect(readFileSync(at(".claude.json"), "utf8")).toBe(files[".claude.json"].replace(": 5", ": 6"));
  }
});

test("a missing file is created, and removed again", async () => {
  const { context, at } = installWorld({ files: { ".codex/hooks.json": "{}\n" } });
  await runInstall({ agents: ["codex"], mcp: true, yes: true }, context);
  expect(readFileSync(at(".codex/config.toml"), "utf8")).toMatch(/^\[mcp_servers\.beckon\]\n/);
  await runUninstall({ yes: true }, context);
  expect(existsSync(at(".codex/config.toml"))).toBe(false);
});

test("upgrade updates the server's path, and leaves a removed one removed", async () => {
  const { context, at } = installWorld({ files });
  await runInstall({ agents: ["claude", "codex"], mcp: true, yes: true }, context);
  const registered = readFileSync(at(".claude.json"), "utf8");
  writeFileSync(at(".claude.json"), registered.replace(/"command": "[^"]*node[^"]*"/, '"command": "/old/node"'));
  writeFileSync(at(".codex/config.toml"), files[".codex/config.toml"]);
  expect(await runUpgrade({ yes: true }, context)).toBe(0);
  expect(readFileSync(at(".claude.json"), "utf8")).toBe(registered);
  expect(readFileSync(at(".codex/config.toml"), "utf8")).toBe(files[".codex/config.toml"]);
});

test("another server called beckon is refused, and the hooks are installed nevertheless", async () => {
  const mine = '{ "mcpServers": { "beckon": { "command": "mine" } } }\n';
  const { context, at, output } = installWorld({ files: { ...files, ".claude.json": mine } });
  expect(await readExitCode(runInstall({ agents: ["claude"], mcp: true, yes: true }, context), context)).toBe(1);
  expect(readFileSync(at(".claude.json"), "utf8")).toBe(mine);
  expect(output()).toContain("it has another server called beckon");
  expect(readFileSync(at(".claude/settings.json"), "utf8")).toContain("beckon");
});

test("for an agent without a known file the command is shown instead", async () => {
  const { context, output } = installWorld({ files: { ".factory/settings.json": "{}" } });
  expect(await runInstall({ agents: ["droid"], mcp: true, yes: true }, context)).toBe(0);
  expect(output()).toMatch(
    /--mcp does not work for Droid\. Add an MCP server with this command there: node \S+cli\.js mcp/,
  );
});
