import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentNamed } from "../../../src/agents/registry.ts";
import { installedPlugins } from "../../../src/installer/plugins/installed-plugins.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plugins-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(path: string, value: unknown): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), JSON.stringify(value));
}

/** A plugin's folder, as far as it is read. */
function writePlugin(path: string): string {
  write(join(path, "hooks/hooks.json"), { hooks: { Stop: [], SessionEnd: [] } });
  write(join(path, "package.json"), { version: "0.1.0" });
  return join(home, path);
}

function found(agent: string, project = join(home, "shop")) {
  return installedPlugins(agentNamed(agent) ?? {}, { home, project, env: {}, platform: "linux" });
}

/** What each agent leaves when the plugin is installed: Claude Code 2.1.330, Droid 0.215.0, Gemini CLI 0.61.0. */
const installed: Readonly<Record<string, (entry?: object) => string>> = {
  claude: (entry) => {
    const installPath = writePlugin(".claude/plugins/cache/beckon/beckon/0.1.0");
    const mine = { scope: "user", installPath, version: "0.1.0", ...entry };
    const other = { scope: "user", installPath: join(home, "other"), version: "1.0.0" };
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

test("a plugin that is installed for one project counts there alone", async () => {
  installed["claude"]?.({ scope: "project", projectPath: join(home, "shop") });
  expect(await found("claude")).toHaveLength(1);
  expect(await found("claude", join(home, "other"))).toEqual([]);
});

test("an agent that takes no plugins has none", async () => {
  expect(await found("kimi")).toEqual([]);
});
