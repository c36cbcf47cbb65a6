/** Entry point `dist/worker.cjs`: runs the worker with Node's compile cache, if available. */
import * as nodeModule from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type * as main from "./worker.ts";

/** Node's compile cache: one function since Node 22.8, the other since 22.10. https://nodejs.org/api/module.html#module-compile-cache */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly flushCompileCache?: () => void;
}
const cache = nodeModule as CompileCache;

/** Delay before the compile cache is saved. By then, the first event has loaded the code that the next start needs. */
const cacheFlushDelayMs = 1_000;

// Only the user can write to this folder. In Node's default folder, other users could plant code.
cache.enableCompileCache?.(join(__dirname, "..", "compiled"));
// Keep V8's space for new objects at 1 MB, which saves 8 MB in a worker that runs for days.
setFlagsFromString("--semi-space-growth-factor=1");
const { work } = require("./worker-main.cjs") as typeof main;
setTimeout(() => cache.flushCompileCache?.(), cacheFlushDelayMs).unref();
void work().then(() => process.exit(0)); // a notifier past its deadline may keep the event loop alive
