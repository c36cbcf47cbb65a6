import { mkdirSync } from "node:fs";
import { loadConfig } from "./config/load.ts";
import { resolvePaths } from "./files/paths.ts";
import { untrustedRoot } from "./files/root-access.ts";
import { createPorts } from "./io/ports.ts";
import { createRelay } from "./relay/lazy-relay.ts";
import { makeSpool } from "./spool/put.ts";
import { runWorker } from "./worker/run-worker.ts";

/** Loads what it takes to deliver an event, by the user's configuration. Prints `ok`. Changes nothing. */
export async function check(): Promise<void> {
  await loadConfig(resolvePaths().config);
  process.stdout.write("ok\n");
}

/** Runs the background worker in this process. @returns false if another worker runs, or the root is untrusted */
export async function work(): Promise<boolean> {
  process.umask(0o077);
  // These variables make libraries print debug output.
  for (const name of ["DEBUG", "NODE_DEBUG"]) delete process.env[name];
  // If an agent's environment set this variable, certificate checks would be off, even in the user's modules.
  delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];

  const paths = resolvePaths();
  if (untrustedRoot(paths)) return false; // does not write to its journal either; `doctor` and `status` say why
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  makeSpool(paths.spool);
  return runWorker(paths, createPorts(createRelay(paths)));
}
