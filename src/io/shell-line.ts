import { type StdioOptions, spawn } from "node:child_process";

/** How a command line ended. */
export interface ShellLineResult {
  /** Null if it was killed by a signal or at the timeout. */
  readonly exitCode: number | null;
  readonly tookMs: number;
}

/**
 * Runs a command line as an agent runs a hook: through `sh -c` (`cmd` on Windows), with `input` on its standard input
 * and `env` as its environment. Waits until it has ended, at most `timeoutMs`. Its output is discarded.
 */
export function runShellLine(
  line: string,
  { input, timeoutMs, ...place }: { input: string; cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<ShellLineResult> {
  const startedAt = performance.now();
  const stdio: StdioOptions = ["pipe", "ignore", "ignore"];
  const child = spawn(line, { ...place, shell: true, stdio, timeout: timeoutMs, windowsHide: true });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (exitCode) => resolve({ exitCode, tookMs: performance.now() - startedAt }));
    // A hook need not read its input: EPIPE is no failure.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
