import { mkdirSync } from "node:fs";
import { pathsOf } from "./core/paths.ts";
import { createPorts } from "./io/ports.ts";
import { makeSpool } from "./spool/put.ts";
import { work } from "./worker/run-worker.ts";

process.umask(0o077);
// Libraries print to stdout when these are set, and stdout may be somebody's.
for (const name of ["DEBUG", "NODE_DEBUG"]) delete process.env[name];

const paths = pathsOf();
mkdirSync(paths.root, { recursive: true, mode: 0o700 });
makeSpool(paths.spool);
await work(paths, createPorts());
process.exit(0); // a notifier that was given up may still hold the loop
