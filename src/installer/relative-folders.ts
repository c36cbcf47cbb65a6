import { isAbsolute } from "node:path";
import type { Agent } from "../core/agent.ts";
import type { InstallEnvironment } from "../core/agent-settings.ts";

/** A variable that should name a folder by its absolute path. */
export interface RelativeFolder {
  readonly variable: string;
  readonly value: string;
}

/** Finds those of some variables that hold a relative path, such as a `~` that no shell has expanded. */
function findRelative(variables: readonly string[], env: NodeJS.ProcessEnv): RelativeFolder[] {
  return variables.flatMap((variable) => {
    const value = env[variable];
    return value && !isAbsolute(value) ? [{ variable, value }] : [];
  });
}

/** Describes the variables that keep beckon and an agent from using the same folder, one sentence each. */
export function describeRelativeFolders(
  { title, settings }: Pick<Agent, "title" | "settings">,
  environment: InstallEnvironment,
): string[] {
  if (!settings) return [];
  const used = settings.folder(environment);
  return findRelative(settings.folder.variables, environment.env).map(
    ({ variable, value }) =>
      `${variable} is ${value}, which is no absolute path: ${title} may take it as a folder below each project, while beckon uses ${used}`,
  );
}

/** Describes a BECKON_HOME that is not used; undefined if it is unset or absolute. */
export function describeRelativeRoot({ env }: InstallEnvironment, root: string): string | undefined {
  const [found] = findRelative(["BECKON_HOME"], env);
  return found && `BECKON_HOME is ${found.value}, which is no absolute path, so beckon uses ${root}`;
}

/** The cure for such a variable, a sentence. */
export const cureForRelativeFolder =
  "Set it to an absolute path where it is set (a unit file and an .env file expand no ~), or unset it.";
