import { join } from "node:path";
import type { AgentPlugin, InstallEnvironment, PluginFacts } from "../../core/agent-settings.ts";
import { at } from "../../core/json-value.ts";

/** Installed plugin in an agent's list: its id `name@marketplace`, and its details. */
type InstalledEntry = readonly [id: string, entry: unknown];

interface ClaudePluginTraits extends Pick<AgentPlugin, "source" | "folderVariable"> {
  /** Command that starts the agent. */
  readonly program: string;
  /** Name of the folder with the manifests. */
  readonly manifestFolder: string;
  /** Returns the agent's folder in the user's home folder. */
  folder(environment: InstallEnvironment): string;
  /**
   * Path of the list of installed plugins, in the agent's folder. It ends in `*.json` if each plugin has its own file.
   */
  readonly list: string;
  entriesIn(list: unknown): readonly InstalledEntry[];
}

const id = "beckon@beckon";

/** Makes a plugin in Claude Code's format, which other agents adopted: a marketplace folder with one plugin. */
export function claudePlugin(traits: ClaudePluginTraits): AgentPlugin {
  const { source, folderVariable, program, manifestFolder, folder, list, entriesIn } = traits;
  return {
    word: "plugin",
    source,
    folderVariable,
    manifests: (facts) => ({
      [`${manifestFolder}/plugin.json`]: { ...facts, author: { name: facts.name } },
      [`${manifestFolder}/marketplace.json`]: marketplace(facts),
    }),
    installCommands: (path) => [`${program} plugin marketplace add ${path}`, `${program} plugin install ${id}`],
    uninstallCommand: `${program} plugin uninstall ${id}`,
    async installedIn(environment, readValues) {
      const [settings] = await readValues(join(folder(environment), "settings.json"));
      const lists = await readValues(join(folder(environment), list));
      return lists.flatMap(entriesIn).flatMap(([name, entry]) => {
        const [path, project] = [at(entry, "installPath"), at(entry, "projectPath")];
        const isOn = name.startsWith("beckon@") && at(settings, "enabledPlugins", name) !== false;
        const isHere = project === undefined || project === environment.project;
        return isOn && isHere && typeof path === "string" ? [path] : [];
      });
    },
  };
}

function marketplace({ name, version, description }: PluginFacts) {
  return { name, owner: { name }, description, plugins: [{ name, version, description, source: "./" }] };
}
