import { statSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import type { InstallEnvironment } from "../../core/agent-settings.ts";
import { at, objectOf } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { readValue, readValues } from "../agents/hook-switches.ts";
import { pluginHooksPath } from "./plugin-files.ts";

/** One of beckon's plugins that an agent runs. */
export interface InstalledPlugin {
  readonly word: "plugin" | "extension";
  readonly path: string;
  /** Events, by the agent's own names, for which it has hooks. */
  readonly events: readonly string[];
  readonly version?: string;
  /** ISO 8601. */
  readonly installedAt?: string;
  /** The command line that removes it. */
  readonly uninstallCommand: string;
}

/** Those of beckon's plugins that an agent runs here; mostly none. Reads only, never throws. */
export async function installedPlugins(
  { plugin }: Pick<Agent, "plugin">,
  environment: InstallEnvironment,
): Promise<readonly InstalledPlugin[]> {
  if (!plugin) return [];
  const { word, uninstallCommand } = plugin;
  const folders = [...new Set(await plugin.installedIn(environment, readValues))];
  return Promise.all(folders.map(async (path) => ({ word, path, uninstallCommand, ...(await contentOf(path)) })));
}

async function contentOf(path: string) {
  const hooks = join(path, pluginHooksPath);
  const version = at(await readValue(join(path, "package.json")), "version");
  return {
    events: Object.keys(objectOf(at(await readValue(hooks), "hooks"))),
    ...omitUndefined({
      version: typeof version === "string" ? version : undefined,
      installedAt: statSync(hooks, { throwIfNoEntry: false })?.ctime.toISOString(),
    }),
  };
}
