import { type StdioOptions, spawn } from "node:child_process";

/** Result of a command line. */
export interface ShellLineResult {
  /** Exit code; null if a signal or the timeout ended the command line. */
  readonly exitCode: number | null;
  readonly tookMs: number;
}

/**
 * Runs a command line as an agent runs a hook: with `sh -c`, or `cmd` on Windows. `input` is the command's standard
 * input, `env` its environment. Stops the command after `timeoutMs`, and discards its output.
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
    // A hook may exit without reading its input, so ignore EPIPE.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
