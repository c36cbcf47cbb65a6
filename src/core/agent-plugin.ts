import type { InstallEnvironment } from "./agent-settings.ts";

/** What the manifests of beckon's plugins say about it. */
export interface PluginFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

/**
 * Reads a JSON or TOML file as a value; with `*.json` for the path's last part, every such file of that folder. Files
 * that are not there or cannot be read are left out.
 */
export type ReadValues = (path: string) => Promise<readonly unknown[]>;

/** How an agent takes in hooks as a folder that it installs, beside its settings files. */
export interface AgentPlugin {
  /** What the agent calls such a folder. */
  readonly word: "plugin" | "extension";
  /** URL of the page that its form was read from. */
  readonly source: string;
  /** What the agent replaces with the plugin's folder in the command line of a hook. */
  readonly folderVariable: string;
  /** The agent's own files in it, JSON by path. Its hooks are in `hooks/hooks.json`, `wrapped`. */
  manifests(facts: PluginFacts): Readonly<Record<string, object>>;
  /** Command lines by which a person installs it from a folder, which is called `beckon`. */
  installCommands(folder: string): readonly string[];
  /** The command line that removes it. */
  readonly uninstallCommand: string;
  /** The folders of beckon's plugins that the agent has installed and runs. */
  installedIn(environment: InstallEnvironment, readValues: ReadValues): Promise<readonly string[]>;
}
