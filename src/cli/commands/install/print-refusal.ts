import { join } from "node:path";
import { scopes } from "../../../core/agent-settings.ts";
import type { SettingsError } from "../../../core/errors.ts";
import { defaultRoot, shellWord } from "../../../installer/agents/command-line.ts";
import { type InstallableAgent, snippetOf } from "../../../installer/agents/installable.ts";
import type { InstallContext } from "./context.ts";

/** Prints why a file was not changed and what to do about it; with an agent, also how to add its hooks by hand. */
export function printRefusal(
  context: InstallContext,
  { message, hint, file }: SettingsError,
  agent?: InstallableAgent,
) {
  context.print(`${message}.${hint ? ` ${hint}` : ""}`);
  if (agent) context.print(`To add the hooks by hand, copy from ${snippetFor(agent, file, context)}`);
}

/** The snippet with an agent's entries, and how it differs for this file and this root. */
function snippetFor(agent: InstallableAgent, file: string, context: InstallContext): string {
  const { packageRoot, paths, environment } = context;
  const files = scopes.flatMap((scope) => agent.settings.files(scope, environment));
  const isBare = files.find(({ path }) => path === file)?.shape === "bare";
  const isMoved = paths.launcher !== defaultRoot(environment.home).launcher;
  return [
    join(packageRoot, "templates", "settings", snippetOf(agent)),
    ...(isBare ? ["only what is under `hooks`"] : []),
    ...(isMoved ? [`with ${shellWord(paths.launcher)} in place of ~/.beckon/hook`] : []),
  ].join(", ");
}
