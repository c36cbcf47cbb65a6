import type { InstallEnvironment } from "./agent-settings.ts";

/** Facts about beckon that a plugin's manifest states. */
export interface PluginFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

/**
 * Parses a JSON or TOML file. If the last part of the path is `*.json`, parses every JSON file of that folder. Skips
 * files that are missing or unreadable.
 */
export type ReadValues = (path: string) => Promise<readonly unknown[]>;

/** Plugin folder through which beckon's hooks can be installed into an agent, instead of its settings files. */
export interface AgentPlugin {
  /** Agent's own word for a plugin folder. */
  readonly word: "plugin" | "extension";
  /** URL of the page that describes the plugin format. */
  readonly source: string;
  /** Variable that stands for the plugin's folder in a hook's command line. The agent replaces it with the path. */
  readonly folderVariable: string;
  /** Returns the manifest files that the agent requires, as JSON by path, without `hooks/hooks.json`. */
  manifests(facts: PluginFacts): Readonly<Record<string, object>>;
  /** Returns the command lines with which the user installs the plugin from a folder. The folder's name is `beckon`. */
  installCommands(folder: string): readonly string[];
  /** Command line that removes the plugin. */
  readonly uninstallCommand: string;
  /** Lists the folders of beckon plugins that the agent has installed and enabled. */
  installedIn(environment: InstallEnvironment, readValues: ReadValues): Promise<readonly string[]>;
}
