/**
 * Entry point `dist/worker.cjs`: with `--check`, tries whether the worker loads; else runs the worker with compiled code that an earlier worker has stored, if possible.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runWithCodeCache } from "./files/code-cache.ts";
import type * as main from "./worker.ts";

/** Time after which a worker prepares for a long run. By then, it has usually sent the first message. */
const startMs = 5_000;

const program = runWithCodeCache(join(__dirname, "worker-main.cjs"), join(__dirname, "..", "compiled"));
const { work, check } = program.exports as typeof main;
if (process.argv[2] === "--check") void check();
else {
  setTimeout(() => {
    save();
    // Keep V8's space for new objects small, which saves 8 MB in a worker that runs for days. From now on V8 refuses code
    // that was compiled without this flag, such as Node's own, so a start would take longer with it.
    void import("node:v8").then(({ setFlagsFromString }) => setFlagsFromString("--semi-space-growth-factor=1"));
  }, startMs).unref();
  void work().then(() => {
    save();
    process.exit(0); // a notifier past its deadline may keep the event loop alive
  });
}

/** Stores the compiled code, but not while the program is being removed, which ends the worker: a file would be in the way. */
function save(): void {
  if (existsSync(process.argv[1] ?? "")) program.save();
}
