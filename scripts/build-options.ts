import { join } from "node:path";
import type { BuildOptions } from "esbuild";

/** Of all that is built. */
export const shared = {
  absWorkingDir: join(import.meta.dirname, ".."),
  bundle: true,
  platform: "node",
  target: "node20",
  logLevel: "warning",
  legalComments: "none", // `scripts/notices.ts` writes them to a file of their own
  metafile: true,
} as const satisfies BuildOptions;
/** Programs: everything inlined, what is loaded later in files of its own. */
export const program = {
  ...shared,
  // jsonc-parser's UMD entry does not survive bundling: https://github.com/microsoft/node-jsonc-parser/issues/57
  mainFields: ["module", "main"],
  // Names stay, for those who read where a fault came from.
  minifyWhitespace: true,
  minifySyntax: true,
} satisfies BuildOptions;
/** A schema parses a few values in a process: zod need not compile a function for each. Set before any is made. */
export const withoutJit = "globalThis.__zod_globalConfig ??= { jitless: true };";

const ownUrl = 'const ownUrl = require("node:url").pathToFileURL(__filename).href;';
/** The worker's code, in one file: what `import()` asks for later runs when it is asked for. */
export const worker = {
  ...program,
  entryPoints: { "worker-main": "src/worker.ts" },
  format: "cjs",
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  banner: { js: `${withoutJit}\n${ownUrl}` },
  define: { "import.meta.url": "ownUrl" },
} as const satisfies BuildOptions;
