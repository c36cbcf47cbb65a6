import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Home } from "../world/home.ts";

/** Suspends a home's worker as if it had hung for a minute. Returns its process number. */
export function hangWorker({ paths, workerPid }: Home): number {
  const pid = workerPid() ?? Number.NaN;
  process.kill(pid, "SIGSTOP");
  writeFileSync(paths.lock, `${pid} 1 ${hostname()}\n`);
  return pid;
}
