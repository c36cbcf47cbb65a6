import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { oldestNode } from "../src/core/oldest-node.ts";

/** Options for all bundles. */
export const shared = {
  absWorkingDir: join(import.meta.dirname, ".."),
  bundle: true,
  platform: "node",
  target: `node${oldestNode}`,
  logLevel: "warning",
  legalComments: "none", // `scripts/notices.ts` writes them to a separate file
  metafile: true,
} as const satisfies BuildOptions;
/** Options for programs: everything inlined, with lazy imports in separate files. */
export const program = {
  ...shared,
  // jsonc-parser's UMD entry breaks when bundled: https://github.com/microsoft/node-jsonc-parser/issues/57
  mainFields: ["module", "main"],
  // Keeps names, for readable stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
} satisfies BuildOptions;
/**
 * Keeps zod from compiling a function for each schema, which does not pay off for a few values. Must run before any
 * schema is created.
 */
export const withoutJit = "globalThis.__zod_globalConfig ??= { jitless: true };";

const ownUrl = 'const ownUrl = require("node:url").pathToFileURL(__filename).href;';
/** Options for the worker: a single file, with lazy imports run on demand. */
export const worker = {
  ...program,
  entryPoints: { "worker-main": "src/worker.ts" },
  format: "cjs",
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  banner: { js: `${withoutJit}\n${ownUrl}` },
  define: { "import.meta.url": "ownUrl" },
} as const satisfies BuildOptions;
