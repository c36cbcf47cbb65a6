import { join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { oldestNode } from "../src/text/version.ts";

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
  // Not `minify`, which shortens names: stack traces need them, except the worker's, which nobody sees.
  minifyWhitespace: true,
  minifySyntax: true,
} satisfies BuildOptions;
/**
 * Keeps zod from compiling a function for each schema, which does not pay off for a few values. Must run before any
 * schema is created.
 */
export const withoutJit = "globalThis.__zod_globalConfig ??= { jitless: true };";

/** Packages that many workers do not need, by the bundle that has them: the worker's own file stays half as large. */
const parts: Readonly<Record<string, readonly string[]>> = {
  "worker-cron": ["croner"],
  "worker-mail": ["nodemailer"],
  "worker-markdown": ["marked"],
  "worker-programs": ["execa"],
  "worker-proxy": ["http-proxy-agent", "https-proxy-agent"],
  "worker-relay": [
    ...["@nats-io/jetstream", "@nats-io/kv", "@nats-io/nkeys", "@nats-io/transport-node"],
    "age-encryption",
  ],
};
/**
 * Replaces packages of `parts` by a `require()` of their bundle, which exports each under its name. That of marked waits
 * for the first text with Markdown: marked makes a hundred patterns, which takes 9 ms.
 * @param folder path of the bundles, from the files that load them
 */
export const withParts = (folder: string): Plugin => ({
  name: "parts",
  setup({ onResolve, onLoad }) {
    const files = new Map(Object.entries(parts).flatMap(([file, names]) => names.map((name) => [name, file])));
    onResolve({ filter: /\/worker-\w+\.cjs$/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^[@a-z]/ }, ({ path }) => (files.has(path) ? { path, namespace: "part" } : undefined));
    onLoad({ filter: /./, namespace: "part" }, async ({ path }) => {
      const load = `require("${folder}/${files.get(path)}.cjs")["${path}"]`;
      if (path === "marked") return { contents: `export function Lexer() { return new (${load}).Lexer(); }` };
      const names = Object.keys(await import(path)).filter((name) => name !== "default" && /^\w+$/.test(name));
      return {
        contents: `const part = ${load}; export default part.default ?? part; export const { ${names} } = part;`,
      };
    });
  },
});
/** Leaves the only `import()` of the worker, for users' modules, in a file of its own. */
const importModule: Plugin = {
  name: "import-module",
  setup({ onResolve }) {
    onResolve({ filter: /\/import-module\.ts$/ }, () => ({ path: "./import-module.cjs", external: true }));
  },
};
/** Options for the bundles of `parts`. */
export const workerParts: readonly BuildOptions[] = Object.entries(parts).map(([file, names]) => ({
  ...program,
  minifyIdentifiers: true,
  stdin: {
    contents: names.map((name) => `exports["${name}"] = require("${name}");`).join("\n"),
    resolveDir: join(import.meta.dirname, ".."),
  },
  format: "cjs",
  outfile: `dist/${file}.cjs`,
  supported: { "dynamic-import": false },
}));

const ownUrl = 'const ownUrl = require("node:url").pathToFileURL(__filename).href;';
/** Options for the worker: a file of its own beside its parts, with lazy imports run on demand. */
export const worker = {
  ...program,
  minifyIdentifiers: true,
  entryPoints: { "worker-main": "src/worker.ts" },
  format: "cjs",
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  banner: { js: `${withoutJit}\n${ownUrl}` },
  plugins: [importModule, withParts(".")],
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "ownUrl" },
} as const satisfies BuildOptions;
