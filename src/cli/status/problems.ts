import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Finding } from "../../config/config.ts";
import { readErrno } from "../../core/errors.ts";
import { listSpoolFolders, type Paths } from "../../files/paths.ts";
import { listQuietly } from "../../files/read-file.ts";
import { modelessRoot, moveAdvice, type RootProblem } from "../../files/root-access.ts";
import { shellWord } from "../../installer/agents/command-line.ts";
import { resolveProgram } from "../../io/which.ts";
import { lostJournalFiles } from "../../journal/journal-files.ts";

/** Explains that other users own or can access a path in beckon's folder; undefined if it is private or missing. */
export function accessProblem(path: string): RootProblem | undefined {
  const stats = existsSync(path) ? statSync(path) : undefined;
  if (!stats || (path.endsWith(".jsonc") && !stats.isFile())) return undefined; // reported with the configuration
  if (stats.uid !== process.getuid?.()) {
    const trusted = `If you trust it: sudo chown "$(id -un)" ${shellWord(path)}.`;
    return {
      message: `${path} belongs to another user`,
      cure: `${trusted} If not, move it away, then run \`beckon install\`.`,
    };
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

/**
 * Finds the reason why the launcher cannot run, without running it; undefined if it can run, or if it is missing. If
 * its mode allows running, the reason is that the file system is mounted `noexec`.
 */
export function launcherObstacle(file: string): RootProblem | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || resolveProgram(file)) return undefined;
  if ((stats.mode & 0o100) === 0) {
    return { message: `${file} is not executable: hooks do nothing`, cure: `chmod 700 ${shellWord(file)}` };
  }
  return {
    message: `${file} cannot run, because its file system is mounted noexec: hooks do nothing`,
    cure: `Mount it without noexec, or move it: ${moveAdvice({ root: dirname(file) })}`,
  };
}

/**
 * Lists the absolute paths of files in beckon's folder that this user may not read, and of journal files that were
 * renamed because the worker could not write to them. Commands cannot show what is in these files.
 */
export function findUnreadable(paths: Paths): readonly string[] {
  const { journal, state, lock, config } = paths;
  const folders = [journal, state, ...listSpoolFolders(paths)];
  const lost = lostJournalFiles(journal).map((file) => join(journal, file));
  return [
    ...new Set([...folders, lock, config, ...listQuietly(state).map((name) => join(state, name))].filter(isClosed)),
    ...lost,
  ];
}

/** Returns the cure for unreadable files in beckon's folder. */
export function cureForUnreadable({ root }: Pick<Paths, "root">): string {
  return `Another user created them, probably root with sudo. To fix it: sudo chown -R ${process.getuid?.() ?? ""} ${shellWord(root)}`;
}

function isClosed(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return readErrno(error) === "EACCES";
  }
}
