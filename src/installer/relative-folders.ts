import { isAbsolute } from "node:path";
import type { Agent } from "../core/agent.ts";
import type { InstallEnvironment } from "../core/agent-settings.ts";

/** Environment variable with a relative path instead of an absolute one. */
export interface RelativeFolder {
  readonly variable: string;
  readonly value: string;
}

/** Finds variables with a relative path, such as an unexpanded `~`. */
function findRelative(variables: readonly string[], env: NodeJS.ProcessEnv): RelativeFolder[] {
  return variables.flatMap((variable) => {
    const value = env[variable];
    return value && !isAbsolute(value) ? [{ variable, value }] : [];
  });
}

/** Describes variables that make beckon and an agent use different folders, one sentence each. */
export function describeRelativeFolders(
  { title, settings }: Pick<Agent, "title" | "settings">,
  environment: InstallEnvironment,
): string[] {
  if (!settings) return [];
  const used = settings.folder(environment);
  return findRelative(settings.folder.variables, environment.env).map(
    ({ variable, value }) =>
      `${variable} is ${value}, which is not an absolute path: ${title} may resolve it in each project, while beckon uses ${used}`,
  );
}

/** Describes a BECKON_HOME that is not used; undefined if it is unset or absolute. */
export function describeRelativeRoot({ env }: InstallEnvironment, root: string): string | undefined {
  const [found] = findRelative(["BECKON_HOME"], env);
  return found && `BECKON_HOME is ${found.value}, which is not an absolute path, so beckon uses ${root}`;
}

/** Sentence that tells how to correct a variable with a relative path. */
export const cureForRelativeFolder =
  "Change it to an absolute path (unit files and .env files do not expand ~), or unset it.";
