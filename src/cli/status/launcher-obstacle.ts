import { statSync } from "node:fs";
import type { RootProblem } from "../../files/root-access.ts";
import { shellWord } from "../../installer/agents/command-line.ts";
import { resolveProgram } from "../../io/which.ts";

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
    cure: "Mount it without noexec, or set BECKON_HOME to another folder and run `beckon install`.",
  };
}
