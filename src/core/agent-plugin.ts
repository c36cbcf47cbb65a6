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
 * Returns the parsed content of a JSON or TOML file. If the last part of the path is `*.json`, returns the content of
 * every JSON file in the folder. Skips files that are missing or unreadable.
 */
export type ReadValues = (path: string) => Promise<readonly unknown[]>;

/** Rules for installing beckon's hooks into an agent as a plugin, instead of through the agent's settings files. */
export interface AgentPlugin {
  /** Agent's own word for a plugin. */
  readonly word: "plugin" | "extension";
  /** URL of the page that describes the plugin format. */
  readonly source: string;
  /** Variable in a hook's command line that the agent replaces with the path of the plugin's folder. */
  readonly folderVariable: string;
  /** Returns the content of each manifest file that the agent requires, by path. Leaves out `hooks/hooks.json`. */
  manifests(facts: PluginFacts): Readonly<Record<string, object>>;
  /** Returns the command lines with which the user installs the plugin from a folder. The folder's name is `beckon`. */
  installCommands(folder: string): readonly string[];
  /** Command line that removes the plugin. */
  readonly uninstallCommand: string;
  /** Lists the folders of beckon plugins that the agent has installed and enabled. */
  installedIn(environment: InstallEnvironment, readValues: ReadValues): Promise<readonly string[]>;
}
