import type { AgentPlugin, PluginFacts } from "../../core/agent-settings.ts";
import { resolvePaths } from "../../files/paths.ts";
import { oldestNode } from "../../text/version.ts";
import { pluginCommandLine } from "../agents/command-line.ts";
import type { InstallableAgent } from "../agents/installable.ts";
import { wantedEntries } from "../agents/wanted-entries.ts";
import { createBeckonCommands } from "../beckon-commands.ts";
import { planInstall } from "../plan-file.ts";

/** Agent that accepts hooks as a plugin. */
export type PluginAgent = InstallableAgent & { readonly plugin: AgentPlugin };

/** Checks if an agent accepts hooks as a plugin. */
export function isPluginAgent(agent: InstallableAgent): agent is PluginAgent {
  return agent.plugin !== undefined;
}

/** Path of the hooks in a plugin. */
export const pluginHooksPath = "hooks/hooks.json";

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
  const { after } = planInstall({
    file: { path: pluginHooksPath, shape: "wrapped" },
    before: undefined,
    beckonCommands: createBeckonCommands({ commands: [], roots: [] }),
    wanted: new Map([...entries].map(([event, entry]) => [event, { ...entry, command: command(event) }])),
    rules: {},
  });
  return after?.toString() ?? "";
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
