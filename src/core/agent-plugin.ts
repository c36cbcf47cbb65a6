import type { InstallEnvironment } from "./agent-settings.ts";

/** Description of beckon for the manifests of its plugins. */
export interface PluginFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

/**
 * Reads a JSON or TOML file as a value; with `*.json` as the path's last part, every such file of that folder. Skips
 * files that are missing or unreadable.
 */
export type ReadValues = (path: string) => Promise<readonly unknown[]>;

/** Installation of hooks into an agent as a plugin folder, in addition to its settings files. */
export interface AgentPlugin {
  /** Agent's word for such a folder. */
  readonly word: "plugin" | "extension";
  /** URL of the page that describes its format. */
  readonly source: string;
  /** Variable in a hook's command line that the agent replaces with the plugin's folder. */
  readonly folderVariable: string;
  /** Returns the agent's own files in the plugin, JSON by path. Its hooks are in `hooks/hooks.json`, `wrapped`. */
  manifests(facts: PluginFacts): Readonly<Record<string, object>>;
  /** Returns the command lines by which a person installs the plugin from a folder, which is called `beckon`. */
  installCommands(folder: string): readonly string[];
  /** Command line that removes the plugin. */
  readonly uninstallCommand: string;
  /** Lists beckon's plugin folders that the agent has installed and runs. */
  installedIn(environment: InstallEnvironment, readValues: ReadValues): Promise<readonly string[]>;
}
