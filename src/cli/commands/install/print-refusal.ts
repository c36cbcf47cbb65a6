import { join } from "node:path";
import { scopes } from "../../../core/agent-settings.ts";
import { BeckonError, errnoOf, SettingsError } from "../../../core/errors.ts";
import { defaultRoot, shellWord } from "../../../installer/agents/command-line.ts";
import { type InstallableAgent, snippetOf } from "../../../installer/agents/installable.ts";
import type { InstallContext } from "./context.ts";

/** Prints why something was not done and what to do about it; with an agent, also how to add its hooks by hand. */
export function printRefusal(context: InstallContext, error: BeckonError, agent?: InstallableAgent): void {
  context.print(`${error.message}.${error.hint ? ` ${error.hint}` : ""}`);
  if (!agent) return;
  const file = error instanceof SettingsError ? error.file : undefined;
  context.print(`To add the hooks by hand, copy from ${snippetFor(agent, file, context)}`);
}

/** The snippet with an agent's entries, and how it differs for this file and this root. */
function snippetFor(agent: InstallableAgent, file: string | undefined, context: InstallContext): string {
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

/** Prints why a command could not go on: a refusal, or an error of the system. Throws everything else on. Returns 1. */
export function printFailure(context: InstallContext, error: unknown): 1 {
  if (error instanceof BeckonError) printRefusal(context, error);
  // "EACCES: permission denied, mkdir '/x'" says it all.
  else if (errnoOf(error) !== undefined) context.print((error as Error).message);
  else throw error;
  return 1;
}
