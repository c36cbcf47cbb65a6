import { utimesSync } from "node:fs";
import type { Home } from "../world/home.ts";

/** Stops a home's worker, as if it had hung for a minute. Returns its process number. */
export function hangWorker({ paths, workerPid }: Home): number {
  const pid = workerPid() ?? Number.NaN;
  process.kill(pid, "SIGSTOP");
  const past = Date.now() / 1000 - 60;
  for (const sign of [paths.lock, paths.watching]) utimesSync(sign, past, past);
  return pid;
}
