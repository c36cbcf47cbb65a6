import { join } from "node:path";
import type { AgentPlugin, PluginFacts } from "../../core/agent-plugin.ts";
import type { InstallEnvironment } from "../../core/agent-settings.ts";
import { at } from "../../core/json-value.ts";

/** One installed plugin on an agent's list: `name@marketplace`, and what is noted of it. */
type InstalledEntry = readonly [id: string, entry: unknown];

interface ClaudePluginTraits extends Pick<AgentPlugin, "source" | "folderVariable"> {
  /** The agent's program, as it is typed. */
  readonly program: string;
  /** Name of the folder that holds the manifests. */
  readonly manifestFolder: string;
  /** The agent's own folder per user. */
  folder(environment: InstallEnvironment): string;
  /** Path of its list of installed plugins in that folder; `*.json` where each plugin has a file. */
  readonly list: string;
  entriesIn(list: unknown): readonly InstalledEntry[];
}

const id = "beckon@beckon";

/**
 * A plugin in Claude Code's form, which other agents took over: a folder that is the one plugin of its own marketplace.
 */
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
