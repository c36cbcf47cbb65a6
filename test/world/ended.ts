import type { ChildProcess } from "node:child_process";

/** Resolves to the exit code of a program; to undefined if it was killed after `maxSeconds`, or by others. */
export function ended(child: ChildProcess, maxSeconds: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), maxSeconds * 1000);
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code ?? undefined);
    });
  });
}
