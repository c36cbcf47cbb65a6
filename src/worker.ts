import { mkdirSync } from "node:fs";
import { pathsOf } from "./files/paths.ts";
import { untrustedRoot } from "./files/root-access.ts";
import { createPorts } from "./io/ports.ts";
import { createRelay } from "./relay/edge.ts";
import { makeSpool } from "./spool/put.ts";
import { runWorker } from "./worker/run-worker.ts";

/** Runs the background worker in this process. @returns false if it had to leave everything alone */
export async function work(): Promise<boolean> {
  process.umask(0o077);
  // Libraries print debug output where these are set, and nobody asked the worker for any.
  for (const name of ["DEBUG", "NODE_DEBUG"]) delete process.env[name];
  // In an agent's environment this would switch the checks of certificates off, also for a module of the user's.
  delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];

  const paths = pathsOf();
  if (untrustedRoot(paths)) return false; // nor is its journal written to; `doctor` and `status` say why
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  makeSpool(paths.spool);
  return runWorker(paths, createPorts(createRelay(paths)));
}
