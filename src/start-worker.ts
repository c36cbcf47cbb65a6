/**
 * Entry point `dist/worker.cjs`: with `--check`, tries whether the worker loads; else runs the worker with compiled code that an earlier worker has stored, if possible.
 */
import { existsSync, lstatSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { runWithCodeCache } from "./files/code-cache.ts";
import { isOwn } from "./files/read-file.ts";
import type * as main from "./worker.ts";

/** Node's compile cache: one function since Node 22.8, the other since 22.10. https://nodejs.org/api/module.html#module-compile-cache */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly flushCompileCache?: () => void;
}
const cache = nodeModule as CompileCache;

/** Time after which a worker prepares for a long run. By then, it has usually sent the first message. */
const startMs = 5_000;

const { work, check, save } = load(join(__dirname, "..", "compiled"));
if (process.argv[2] === "--check") void check();
else run();

function run(): void {
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

/** Loads the worker. @param folder for compiled code: only the user can write to it, unlike Node's default folder */
function load(folder: string): Pick<typeof main, "work" | "check"> & { readonly save: () => void } {
  if (cache.enableCompileCache) {
    if (isOwn(lstatSync(dirname(folder)))) cache.enableCompileCache(folder);
    return { ...(require("./worker-main.cjs") as typeof main), save: () => cache.flushCompileCache?.() };
  }
  const { exports, save } = runWithCodeCache(join(__dirname, "worker-main.cjs"), folder);
  // While the program is being removed, which ends the worker, a new file would get in the way.
  return { ...(exports as typeof main), save: () => void (existsSync(process.argv[1] ?? "") && save()) };
}
