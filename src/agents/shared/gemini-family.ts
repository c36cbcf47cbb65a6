import { dirname, join } from "node:path";
import type { AgentSettings, Trust, TrustRequest } from "../../core/agent-settings.ts";
import { at, toObject } from "../../core/json-value.ts";
import { listAncestors } from "./agent-paths.ts";

/**
 * Reads the folder trust of Gemini CLI and its forks. If folder trust is on, these agents run no hook in an untrusted
 * folder, not even the user's own hooks.
 * @see https://geminicli.com/docs/cli/trusted-folders
 * @param agent.isDefault true if folder trust is on by default
 */
export async function readFolderTrust(
  { title, folder, isDefault }: Pick<AgentSettings, "folder"> & { readonly title: string; readonly isDefault: boolean },
  { environment, files, readValue }: TrustRequest,
): Promise<Trust | undefined> {
  const { project } = environment;
  const settings = await readValue(join(folder(environment), "settings.json"));
  if ((at(settings, "security", "folderTrust", "enabled") ?? isDefault) !== true) return undefined;
  const rules = await readValue(join(folder(environment), "trustedFolders.json"));
  const cure = `Run /permissions in ${title} there, and trust the folder.`;
  if (at(rules, project) === "DO_NOT_TRUST") {
    return { state: "untrusted", detail: `${project} is marked as not trusted`, cure };
  }
  if (isTrusted(rules, project)) return { state: "trusted", detail: `${project} is trusted` };
  const isProject = files.some(({ scope }) => scope !== "user");
  const detail = `${project} is not trusted yet: ${title} runs no hook there`;
  return { state: isProject ? "untrusted" : "undecided", detail, cure };
}

/** True if a rule trusts a project. `TRUST_PARENT` trusts the parent of the folder that it names. */
function isTrusted(rules: unknown, project: string): boolean {
  const up = listAncestors(project);
  return Object.entries(toObject(rules)).some(
    ([path, rule]) =>
      (rule === "TRUST_FOLDER" && up.includes(path)) || (rule === "TRUST_PARENT" && up.includes(dirname(path))),
  );
}

/**
 * Labels of beckon's hooks in agents that show hook names: Gemini CLI while a hook runs, Qwen Code in its list of
 * hooks.
 * https://geminicli.com/docs/hooks/reference, https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/
 */
export const hookLabels = {
  name: "beckon",
  description: "Tells you when the agent needs you, has failed or is done",
} as const;
