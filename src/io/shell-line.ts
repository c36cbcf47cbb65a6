import { spawn } from "node:child_process";

/** What a command line did. */
export interface ShellLineResult {
  /** Null: killed by a signal, or at the end of its time. */
  readonly exitCode: number | null;
  readonly tookMs: number;
}

/**
 * Runs one command line the way an agent runs a hook: through `sh -c` (`cmd` on Windows), with `input` on its standard
 * input and the given environment. Waits for its end, `timeoutMs` at most. What it prints is dropped.
 */
export function runShellLine(
  line: string,
  options: {
    readonly input: string;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly timeoutMs: number;
  },
): Promise<ShellLineResult> {
  const startedAt = performance.now();
  const { cwd, env, timeoutMs } = options;
  const stdio = ["pipe", "ignore", "ignore"] as const;
  const child =
    process.platform === "win32"
      ? spawn(line, { shell: true, cwd, env, stdio: [...stdio], timeout: timeoutMs, windowsHide: true })
      : spawn("sh", ["-c", line], { cwd, env, stdio: [...stdio], timeout: timeoutMs });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (exitCode) => resolve({ exitCode, tookMs: performance.now() - startedAt }));
    // A hook that does not read its input is its own affair.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input);
  });
}
