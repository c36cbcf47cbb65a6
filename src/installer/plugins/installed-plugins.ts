import { statSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import type { InstallEnvironment } from "../../core/agent-settings.ts";
import { at, toObject } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { readValue, readValues } from "../agents/disabling-settings.ts";
import { pluginHooksPath } from "./plugin-files.ts";

/** Beckon plugin that an agent runs. */
export interface InstalledPlugin {
  readonly word: "plugin" | "extension";
  readonly path: string;
  /** Events with hooks, by the agent's own names. */
  readonly events: readonly string[];
  readonly version?: string;
  /** Time of the install, ISO 8601. */
  readonly installedAt?: string;
  /** Command line that removes the plugin. */
  readonly uninstallCommand: string;
}

/** Finds beckon's plugins in an agent on this machine. Never writes or throws. */
export async function installedPlugins(
  { plugin }: Pick<Agent, "plugin">,
  environment: InstallEnvironment,
): Promise<readonly InstalledPlugin[]> {
  if (!plugin) return [];
  const { word, uninstallCommand } = plugin;
  const folders = [...new Set(await plugin.installedIn(environment, readValues))];
  return Promise.all(folders.map(async (path) => ({ word, path, uninstallCommand, ...(await readContent(path)) })));
}

async function readContent(path: string) {
  const hooks = join(path, pluginHooksPath);
  const version = at(await readValue(join(path, "package.json")), "version");
  return {
    events: Object.keys(toObject(at(await readValue(hooks), "hooks"))),
    ...omitUndefined({
      version: typeof version === "string" ? version : undefined,
      installedAt: statSync(hooks, { throwIfNoEntry: false })?.ctime.toISOString(),
    }),
  };
}
