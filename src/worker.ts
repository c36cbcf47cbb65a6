import { mkdirSync } from "node:fs";
import { pathsOf } from "./core/paths.ts";
import { untrustedRoot } from "./core/root-access.ts";
import { createPorts } from "./io/ports.ts";
import { makeSpool } from "./spool/put.ts";
import { runWorker } from "./worker/run-worker.ts";

process.umask(0o077);
// Libraries print debug output where these are set, and nobody asked the worker for any.
for (const name of ["DEBUG", "NODE_DEBUG"]) delete process.env[name];
// In an agent's environment this would switch the checks of certificates off, also for a module of the user's.
delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];

const paths = pathsOf();
if (untrustedRoot(paths)) process.exit(0); // nor is its journal written to; `doctor` and `status` say why
mkdirSync(paths.root, { recursive: true, mode: 0o700 });
makeSpool(paths.spool);
await runWorker(paths, createPorts());
process.exit(0); // a notifier whose time was up may still keep the event loop alive
