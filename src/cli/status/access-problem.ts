import { existsSync, statSync } from "node:fs";
import type { Finding } from "../../config/config.ts";
import type { Paths } from "../../files/paths.ts";
import { modelessRoot, type RootProblem } from "../../files/root-access.ts";
import { shellWord } from "../../installer/agents/command-line.ts";

/** Explains that other users own or can access a path in beckon's folder; undefined if it is private or missing. */
export function accessProblem(path: string): RootProblem | undefined {
  const stats = existsSync(path) ? statSync(path) : undefined;
  if (!stats || (path.endsWith(".jsonc") && !stats.isFile())) return undefined; // reported with the configuration
  if (stats.uid !== process.getuid?.()) {
    return { message: `${path} belongs to another user`, cure: "Move it away, then run `beckon install`." };
  }
  if ((stats.mode & 0o077) === 0) return undefined;
  const cure = `chmod ${stats.isDirectory() ? 700 : 600} ${shellWord(path)}`;
  return { message: `${path} is open to other users`, cure };
}

/**
 * Reports a configuration file that is open to other users; nothing on Windows or a file system without permissions.
 */
export function configAccessFindings(paths: Paths, platform: NodeJS.Platform): readonly Finding[] {
  const problem = platform === "win32" || modelessRoot(paths) ? undefined : accessProblem(paths.config);
  if (!problem) return [];
  const message = problem.message.replace(`${paths.config} `, "");
  return [{ level: "error", path: "", message, hint: problem.cure }];
}
