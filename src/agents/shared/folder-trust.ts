import { dirname, join } from "node:path";
import type { Trust, TrustRequest } from "../../core/agent-settings.ts";
import { at, objectOf } from "../../core/json-value.ts";
import { foldersUp } from "./agent-paths.ts";

/**
 * Trust of Gemini CLI and of those made from it: where trusting folders is switched on, they run no hook in a folder
 * that is not trusted, the user's own hooks included.
 * @see https://geminicli.com/docs/cli/trusted-folders
 * @param agent.folder the agent's own
 * @param agent.isDefault whether it is on unless the user's settings switch it off
 */
export async function readFolderTrust(
  { title, folder, isDefault }: { readonly title: string; readonly folder: string; readonly isDefault: boolean },
  { environment: { project }, files, readValue }: TrustRequest,
): Promise<Trust | undefined> {
  const settings = await readValue(join(folder, "settings.json"));
  if ((at(settings, "security", "folderTrust", "enabled") ?? isDefault) !== true) return undefined;
  const rules = await readValue(join(folder, "trustedFolders.json"));
  const cure = `Run /permissions in ${title} there, and trust the folder.`;
  switch (trustLevel(rules, project)) {
    case "yes":
      return { state: "trusted", detail: `${project} is trusted` };
    case "no":
      return { state: "untrusted", detail: `${project} is marked as not trusted`, cure };
    default: {
      const isProject = files.some(({ scope }) => scope !== "user");
      const detail = `${project} is not trusted yet: ${title} runs no hook there`;
      return { state: isProject ? "untrusted" : "undecided", detail, cure };
    }
  }
}

/** What the rules say: `TRUST_FOLDER`, `TRUST_PARENT` (of the folder above the one named), `DO_NOT_TRUST`. */
export function trustLevel(rules: unknown, project: string): "yes" | "no" | undefined {
  if (at(rules, project) === "DO_NOT_TRUST") return "no";
  const up = foldersUp(project);
  const isTrusted = Object.entries(objectOf(rules)).some(
    ([path, rule]) =>
      (rule === "TRUST_FOLDER" && up.includes(path)) || (rule === "TRUST_PARENT" && up.includes(dirname(path))),
  );
  return isTrusted ? "yes" : undefined;
}
