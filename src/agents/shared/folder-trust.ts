import { dirname, join } from "node:path";
import { at, objectOf } from "../../core/json-value.ts";
import { readValue } from "../../installer/agents/hook-switches.ts";
import type { Trust, TrustRequest } from "../../cli/agents/trust-request.ts";

/**
 * Claude Code keeps trust per folder, but not every version keeps it where it is read here: only a yes can be believed
 * (https://github.com/anthropics/claude-code/issues/90220).
 */
export async function trustOfClaude({ agent, place }: TrustRequest): Promise<Trust> {
  const folder = agent.settings?.folder(place);
  const besideHome = join(place.home, ".claude.json");
  const path =
    folder === undefined || folder === join(place.home, ".claude") ? besideHome : join(folder, ".claude.json");
  const projects = at(await readValue(path), "projects");
  const isTrusted = (each: string) => at(projects, each, "hasTrustDialogAccepted") === true;
  if (foldersUp(place.project).some(isTrusted)) return { state: "trusted", detail: `${place.project} is trusted` };
  return {
    state: "unknown",
    detail: `whether ${place.project} is trusted cannot be seen from here`,
    cure: "Start Claude Code there: it asks once, and holds hooks back until you have said yes. /hooks lists them.",
  };
}

/**
 * Gemini and Qwen leave a folder's own settings out where it is not trusted, if that is switched on.
 * @see https://geminicli.com/docs/cli/trusted-folders
 */
export async function trustOfFolder({ agent, place, files }: TrustRequest): Promise<Trust | undefined> {
  const folder = agent.settings?.folder(place);
  if (folder === undefined) return undefined;
  const settings = await readValue(join(folder, "settings.json"));
  if (at(settings, "security", "folderTrust", "enabled") !== true) return undefined;
  const rules = at(await readValue(join(folder, "trustedFolders.json")));
  const cure = `Run /permissions in ${agent.title} there, and trust the folder.`;
  switch (trustLevel(rules, place.project)) {
    case "yes":
      return { state: "trusted", detail: `${place.project} is trusted` };
    case "no":
      return { state: "untrusted", detail: `${place.project} is marked as not trusted`, cure };
    default: {
      const isProject = files.some(({ scope }) => scope !== "user");
      return isProject ? { state: "untrusted", detail: `${place.project} is not trusted yet`, cure } : undefined;
    }
  }
}

/**
 * Grok runs a project's hooks only where it was told to; how it writes that down is not documented.
 * @see https://docs.x.ai/build/features/hooks
 */
export async function trustOfGrok({ place, files }: TrustRequest): Promise<Trust | undefined> {
  if (files.every(({ scope }) => scope === "user")) return undefined;
  return {
    state: "unknown",
    detail: `whether ${place.project} is trusted cannot be seen from here`,
    cure: "Run /hooks-trust in Grok there; /hooks lists what runs.",
  };
}

/** What the nearest rule says: `TRUST_FOLDER`, `TRUST_PARENT` (of the folder above it), `DO_NOT_TRUST`. */
export function trustLevel(rules: unknown, project: string): "yes" | "no" | undefined {
  if (at(rules, project) === "DO_NOT_TRUST") return "no";
  const up = foldersUp(project);
  const isTrusted = Object.entries(objectOf(rules)).some(
    ([path, rule]) =>
      (rule === "TRUST_FOLDER" && up.includes(path)) || (rule === "TRUST_PARENT" && up.includes(dirname(path))),
  );
  return isTrusted ? "yes" : undefined;
}

function foldersUp(path: string): string[] {
  const up = [path];
  for (let folder = dirname(path); folder !== up.at(-1); folder = dirname(folder)) up.push(folder);
  return up;
}
