import { statSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import type { AgentPlugin, InstallEnvironment, PluginFacts } from "../../core/agent-settings.ts";
import { at, toObject } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { resolvePaths } from "../../files/paths.ts";
import { oldestNode } from "../../text/version.ts";
import { pluginCommandLine } from "../agents/command-line.ts";
import { readValue, readValues } from "../agents/disabling-settings.ts";
import type { InstallableAgent } from "../agents/installable.ts";
import { wantedEntries } from "../agents/wanted-entries.ts";
import { newFileText } from "../plan-file.ts";

/** Agent that accepts hooks as a plugin. */
export type PluginAgent = InstallableAgent & { readonly plugin: AgentPlugin };

/** Checks if an agent accepts hooks as a plugin. */
export function isPluginAgent(agent: InstallableAgent): agent is PluginAgent {
  return agent.plugin !== undefined;
}

/** Path of the hooks in a plugin. */
const pluginHooksPath = "hooks/hooks.json";

/** Builds the files of an agent's plugin, by path: manifests, hooks and documents. */
export function pluginFiles(agent: PluginAgent, facts: PluginFacts): Readonly<Record<string, string>> {
  const manifests = Object.entries(agent.plugin.manifests(facts));
  return {
    ...Object.fromEntries(manifests.map(([path, value]) => [path, `${JSON.stringify(value, undefined, 2)}\n`])),
    [pluginHooksPath]: renderHooks(agent),
    "README.md": readme(agent, facts),
  };
}

/** Builds the entries that the installer would write, with the plugin's own launcher. */
function renderHooks(agent: PluginAgent): string {
  const paths = resolvePaths("/");
  const entries = wantedEntries({ agent, events: undefined, waitSeconds: 0, paths, home: "/", platform: "linux" });
  const { folderVariable } = agent.plugin;
  const command = (event: string) => pluginCommandLine(folderVariable, agent.name, event);
  const wanted = new Map([...entries].map(([event, entry]) => [event, { ...entry, command: command(event) }]));
  return newFileText({ path: pluginHooksPath, shape: "wrapped" }, wanted);
}

function readme({ title, plugin }: PluginAgent, { name, description }: PluginFacts): string {
  return `# ${name} for ${title}

${description}.

Install this folder:

\`\`\`sh
${plugin.installCommands(`/path/to/${name}`).join("\n")}
\`\`\`

There is nothing else to do. The ${plugin.word} holds all of beckon. At its first event it copies itself to
\`~/.beckon\`, in the background, and writes nothing anywhere else. You need Node ${oldestNode} or newer, on Linux or macOS.

Everything can be set in \`~/.beckon/config.jsonc\`. \`~/.beckon/app/dist/cli.js doctor\` says what is missing.

To remove it: \`${plugin.uninstallCommand}\`, then \`~/.beckon/app/dist/cli.js uninstall --purge\`.
`;
}

/**
 * Finds beckon's plugins in an agent on this machine: of each its version, the time of its install, ISO 8601, and its
 * events with hooks, by the agent's own names. Never writes or throws.
 */
export async function installedPlugins({ plugin }: Pick<Agent, "plugin">, environment: InstallEnvironment) {
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
