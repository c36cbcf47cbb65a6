import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import type { InstallEnvironment } from "../../core/agent-settings.ts";

/** Most files that are looked at; some agents keep years of sessions. */
const maxFiles = 5_000;

/** Finds when an agent last wrote to a recording of a session, ISO 8601; undefined if none is known. */
export function findLastUse(
  { settings }: Pick<Agent, "settings">,
  environment: InstallEnvironment,
): string | undefined {
  if (settings?.sessions === undefined) return undefined;
  const times = filesBelow(join(settings.folder(environment), settings.sessions)).flatMap(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? [],
  );
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString();
}

function filesBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name));
    return files.slice(-maxFiles).map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return []; // no such folder, or closed
  }
}
