/** Entry point `dist/worker.cjs`: runs the worker with compiled code that an earlier worker has stored, if possible. */
import * as nodeModule from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runWithCodeCache } from "./files/code-cache.ts";
import type * as main from "./worker.ts";

/** Node's compile cache: one function since Node 22.8, the other since 22.10. https://nodejs.org/api/module.html#module-compile-cache */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly flushCompileCache?: () => void;
}
const cache = nodeModule as CompileCache;

/** Delay before compiled code is saved. By then, the first event has loaded the code that the next start needs. */
const saveDelayMs = 1_000;

// Keep V8's space for new objects at 1 MB, which saves 8 MB in a worker that runs for days.
setFlagsFromString("--semi-space-growth-factor=1");
const { work, save } = load(join(__dirname, "..", "compiled"));
setTimeout(save, saveDelayMs).unref();
void work().then(() => {
  save();
  process.exit(0); // a notifier past its deadline may keep the event loop alive
});

/** Loads the worker. @param folder for compiled code: only the user can write to it, unlike Node's default folder */
function load(folder: string): Pick<typeof main, "work"> & { readonly save: () => void } {
  if (cache.enableCompileCache) {
    cache.enableCompileCache(folder);
    const { work } = require("./worker-main.cjs") as typeof main;
    return { work, save: () => cache.flushCompileCache?.() };
  }
  const { exports, save } = runWithCodeCache(join(__dirname, "worker-main.cjs"), folder);
  return { work: (exports as typeof main).work, save };
}
