import { resolvePaths } from "../files/paths.ts";
import { type InstallableAgent, installable, nameSnippet } from "../installer/agents/installable.ts";
import { wantedEntries } from "../installer/agents/wanted-entries.ts";
import { createBeckonCommands } from "../installer/beckon-commands.ts";
import { planInstall } from "../installer/plan-file.ts";

const environment = { home: "/home/you", project: "/home/you", env: {}, platform: "linux" } as const;

/**
 * Builds templates/settings/ by path: what the installer writes into a missing settings file, for each agent whose
 * settings people edit.
 */
export function settingsSnippets(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    installable.flatMap((agent) => {
      const name = nameSnippet(agent);
      return name === undefined ? [] : [[`templates/settings/${name}`, snippetFor(agent)]];
    }),
  );
}

function snippetFor(agent: InstallableAgent): string {
  const { settings } = agent;
  const { home, platform } = environment;
  const paths = resolvePaths(`${home}/.beckon`);
  const file = settings.files("user", environment).at(-1);
  if (!file) throw new Error(`${agent.name} has no settings file for the user`);
  const { after } = planInstall({
    file,
    before: undefined,
    beckonCommands: createBeckonCommands({ commands: [], roots: [] }),
    wanted: wantedEntries({ agent, events: undefined, waitSeconds: 0, paths, home, platform }),
    rules: {},
  });
  return after?.toString() ?? "";
}
