/** `dist/worker.cjs`: runs the worker, from what Node compiled of it when it ran before, where Node can keep that. */
import * as nodeModule from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type * as main from "./worker.ts";

/** Since Node 22.8 and 22.10. https://nodejs.org/api/module.html#module-compile-cache */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly flushCompileCache?: () => void;
}
const cache = nodeModule as CompileCache;

/** After its first event a worker has compiled what the next one starts with. */
const flushAfterMs = 1_000;

// A folder of the user's own: others can write to the one that Node would take, and put code there.
cache.enableCompileCache?.(join(__dirname, "..", "compiled"));
// V8's space for new objects stays at 1 MB: a worker that lives for days would otherwise hold 8 MB more.
setFlagsFromString("--semi-space-growth-factor=1");
const { work } = require("./worker-main.cjs") as typeof main;
setTimeout(() => cache.flushCompileCache?.(), flushAfterMs).unref();
void work().then(() => process.exit(0)); // a notifier whose time was up may still keep the event loop alive
