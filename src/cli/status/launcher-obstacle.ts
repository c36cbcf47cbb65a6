import { statSync } from "node:fs";
import type { RootProblem } from "../../files/root-access.ts";
import { shellWord } from "../../installer/agents/command-line.ts";
import { resolveProgram } from "../../io/which.ts";

/**
 * Why the launcher cannot be run, as far as the system says without running it; undefined if it can, or is missing. A
 * file whose mode lets its owner run it, and which nobody can run, is on a file system that allows no programs.
 */
export function launcherObstacle(file: string): RootProblem | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || resolveProgram(file)) return undefined;
  if ((stats.mode & 0o100) === 0) {
    return { message: `${file} is not executable: hooks do nothing`, cure: `chmod 700 ${shellWord(file)}` };
  }
  return {
    message: `${file} cannot run: its file system allows no programs (mounted noexec), so hooks do nothing`,
    cure: "Mount it without noexec, or set BECKON_HOME to a folder elsewhere and run `beckon install`.",
  };
}
