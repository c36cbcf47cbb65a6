import { join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";

/**
 * jsonc-parser fills tables for its formatter whenever it is loaded, a millisecond; only who formats needs them.
 * https://github.com/microsoft/node-jsonc-parser/blob/main/src/impl/string-intern.ts
 */
const formatterIfUsed: Plugin = {
  name: "formatter-if-used",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\.\/string-intern$/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === formatterIfUsed) return undefined;
      return { ...(await resolve(path, { ...where, pluginData: formatterIfUsed })), sideEffects: false };
    });
  },
};

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
  plugins: [formatterIfUsed],
  // A worker starts for one event: reading its code is a part of the time until somebody is told. Names stay, for those
  // who read where a fault came from.
  minifyWhitespace: true,
  minifySyntax: true,
} satisfies BuildOptions;
/** A schema parses a few values in a process: zod need not compile a function for each. Set before any is made. */
export const withoutJit = "globalThis.__zod_globalConfig ??= { jitless: true };";
