import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import type { InstallEnvironment } from "../../core/agent-settings.ts";

/** Maximum number of files to check. Some agents keep years of sessions. */
const maxFiles = 5_000;

/** Finds the time when an agent last wrote a session recording, ISO 8601. Undefined if there is no recording. */
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
    return []; // missing or not readable
  }
}
