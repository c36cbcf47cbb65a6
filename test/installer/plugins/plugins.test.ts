import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { agentNamed } from "../../../src/agents/registry.ts";
import { installable } from "../../../src/installer/agents/installable.ts";
import { installedPlugins, isPluginAgent, pluginFiles } from "../../../src/installer/plugins/plugin-files.ts";
import { useFolder } from "../../world/fresh-folder.ts";
import { repository } from "../../world/home.ts";

describe("installed plugins", () => {
  const at = useFolder();

  function write(path: string, value: unknown): void {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), JSON.stringify(value));
  }

  /** Writes the parts of a plugin's folder that beckon reads. */
  function writePlugin(path: string): string {
    write(join(path, "hooks/hooks.json"), { hooks: { Stop: [], SessionEnd: [] } });
    write(join(path, "package.json"), { version: "0.1.0" });
    return at(path);
  }

  function found(agent: string, project = at("shop")) {
    return installedPlugins(agentNamed(agent) ?? {}, { home: at(), project, env: {}, platform: "linux" });
  }

  /** Each agent's files after installing the plugin: Claude Code 2.1.330, Droid 0.215.0, Gemini CLI 0.61.0. */
  const installed: Readonly<Record<string, (entry?: object) => string>> = {
    claude: (entry) => {
      const installPath = writePlugin(".claude/plugins/cache/beckon/beckon/0.1.0");
      const mine = { scope: "user", installPath, version: "0.1.0", ...entry };
      const other = { scope: "user", installPath: at("other"), version: "1.0.0" };
      const plugins = { "beckon@beckon": [mine], "other@beckon": [other] };
      write(".claude/plugins/installed_plugins.json", { version: 2, plugins });
      return installPath;
    },
    droid: () => {
      const installPath = writePlugin(".factory/plugins/cache/beckon-ce57/beckon-ce57/mwsom0ld");
      const entry = { scope: "user", installPath, version: "mwsom0ld", source: "beckon" };
      const record = { schemaVersion: 1, pluginId: "beckon@beckon", entry };
      write(".factory/plugins/installed_plugins/beckon-beckon-user-5cd8.json", record);
      write(".factory/plugins/installed_plugins/other.json", { ...record, pluginId: "other@beckon" });
      return installPath;
    },
    gemini: () => {
      const path = writePlugin(".gemini/extensions/beckon");
      write(".gemini/extensions/beckon/gemini-extension.json", { name: "beckon", version: "0.1.0" });
      write(".gemini/extensions/extension-enablement.json", { beckon: { overrides: ["/home/dev/*"] } });
      return path;
    },
  };
  const switchedOff: Readonly<Record<string, () => void>> = {
    claude: () => write(".claude/settings.json", { enabledPlugins: { "beckon@beckon": false } }),
    droid: () => write(".factory/settings.json", { enabledPlugins: { "beckon@beckon": false } }),
    gemini: () =>
      write(".gemini/extensions/extension-enablement.json", { beckon: { overrides: ["/home/dev/*", "!/home/dev/*"] } }),
  };

  test.each(Object.keys(installed))("%s's plugin is found, unless it is switched off", async (agent) => {
    expect(await found(agent)).toEqual([]);
    const path = installed[agent]?.();
    const expected = { path, events: ["Stop", "SessionEnd"], version: "0.1.0" };
    expect(await found(agent)).toEqual([expect.objectContaining(expected)]);
    switchedOff[agent]?.();
    expect(await found(agent)).toEqual([]);
  });

  test("a plugin installed for one project counts there alone", async () => {
    installed["claude"]?.({ scope: "project", projectPath: at("shop") });
    expect(await found("claude")).toHaveLength(1);
    expect(await found("claude", at("other"))).toEqual([]);
  });

  test("an agent without plugin support has none", async () => {
    expect(await found("kimi")).toEqual([]);
  });
});

const { name, version, description, license, keywords } = manifest;
const agents = installable.filter(isPluginAgent);
const renderFiles = (agent: string) => {
  const found = agents.find((candidate) => candidate.name === agent);
  return found ? pluginFiles(found, { name, version, description, license, keywords }) : {};
};

const kebab = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const semver = z.string().regex(/^\d+\.\d+\.\d+$/);
const text = z.string().min(1);
/**
 * Schema of a plugin's manifest: https://code.claude.com/docs/en/plugins-reference,
 * https://docs.factory.ai/guides/building/building-plugins
 */
const plugin = z.strictObject({
  ...{ name: kebab, version: semver, description: text, license: text, keywords: z.array(text) },
  author: z.strictObject({ name: text }),
});
/** Schema of a marketplace: https://code.claude.com/docs/en/plugin-marketplaces */
const marketplace = z.strictObject({
  name: kebab,
  owner: z.strictObject({ name: text }),
  description: text,
  plugins: z.tuple([z.strictObject({ name: kebab, version: semver, description: text, source: z.literal("./") })]),
});
/** Schema of an extension's manifest: https://geminicli.com/docs/extensions/reference */
const extension = z.strictObject({ name: kebab, version: semver, description: text });

test.each([
  ["claude", ".claude-plugin/plugin.json", plugin],
  ["claude", ".claude-plugin/marketplace.json", marketplace],
  ["droid", ".factory-plugin/plugin.json", plugin],
  ["droid", ".factory-plugin/marketplace.json", marketplace],
  ["gemini", "gemini-extension.json", extension],
])("%s's %s has exactly the fields of its documentation", (agent, path, schema) => {
  expect(schema.safeParse(JSON.parse(renderFiles(agent)[path] ?? "")).error?.issues).toBeUndefined();
});

test.each(agents)("$name's plugin has the installer's entries, with the plugin's launcher", ({ name, plugin }) => {
  const hooks = renderFiles(name)["hooks/hooks.json"] ?? "";
  const snippet = readFileSync(join(repository, "templates/settings", `${name}.json`), "utf8");
  const installed = hooks.replaceAll(/sh \\"\$\{\w+\}\/hook\\" (.*) 2>\/dev\/null \|\| :/g, "~/.beckon/hook $1 || :");
  expect(installed).toBe(snippet);
  expect(hooks).toContain(`"sh \\"${plugin.folderVariable}/hook\\" `);
});

test.each(agents)("$name's plugin says how it is installed and removed", ({ name, plugin }) => {
  const readme = renderFiles(name)["README.md"];
  const commands = [...plugin.installCommands("/path/to/beckon"), plugin.uninstallCommand];
  for (const command of commands) expect(readme).toContain(command);
});
