import { type StdioOptions, spawn } from "node:child_process";

/** Result of a command line. */
export interface ShellLineResult {
  /** Exit code; null if it was killed by a signal or at the timeout. */
  readonly exitCode: number | null;
  readonly tookMs: number;
}

/**
 * Runs a command line as an agent runs a hook: with `sh -c` (`cmd` on Windows), `input` on standard input and the
 * environment `env`. Waits for its exit, at most `timeoutMs`, and discards its output.
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
    // A hook need not read its input, so ignore EPIPE.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
