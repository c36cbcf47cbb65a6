import type { ChildProcess } from "node:child_process";

/** The exit code of a program; `undefined` if it was killed after `maxSeconds`, or by others. */
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
