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
  // Keeps names, for readable stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
} satisfies BuildOptions;
/**
 * Keeps zod from compiling a function for each schema, which does not pay off for a few values. Must run before any
 * schema is created.
 */
export const withoutJit = "globalThis.__zod_globalConfig ??= { jitless: true };";

/**
 * Loads marked when the first text with Markdown is read: it makes a hundred patterns, which takes 9 ms.
 * @param file the bundle that has it, from the file that loads it
 */
export const lazyMarked = (file: string): Plugin => ({
  name: "lazy-marked",
  setup({ onResolve, onLoad }) {
    const contents = `export function Lexer() { return new (require("${file}").marked.Lexer)(); }`;
    onResolve({ filter: /^marked$/ }, ({ path }) => ({ path, namespace: "lazy" }));
    onResolve({ filter: /\/worker-markdown\.cjs$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /./, namespace: "lazy" }, () => ({ contents }));
  },
});

/** Packages that few workers need, by the bundle that has them: the worker's own file stays half as large. */
const parts: Readonly<Record<string, readonly string[]>> = {
  "worker-mail": ["nodemailer"],
  "worker-markdown": ["marked"],
  "worker-relay": [
    ...["@nats-io/jetstream", "@nats-io/kv", "@nats-io/nkeys", "@nats-io/transport-node"],
    "age-encryption",
  ],
};
/** Replaces packages of `parts` by a `require()` of their bundle, which exports each under its name. */
const withParts: Plugin = {
  name: "parts",
  setup({ onResolve, onLoad }) {
    const files = new Map(Object.entries(parts).flatMap(([file, names]) => names.map((name) => [name, file])));
    onResolve({ filter: /^\.\/worker-\w+\.cjs$/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /\/import-module\.ts$/ }, () => ({ path: "./import-module.cjs", external: true }));
    onResolve({ filter: /^[@a-z]/ }, ({ path }) => (files.has(path) ? { path, namespace: "part" } : undefined));
    onLoad({ filter: /./, namespace: "part" }, ({ path }) => ({
      contents: `module.exports = require("./${files.get(path)}.cjs")["${path}"]`,
    }));
  },
};
/** Options for the bundles of `parts`. */
export const workerParts: readonly BuildOptions[] = Object.entries(parts).map(([file, names]) => ({
  ...program,
  stdin: {
    contents: names.map((name) => `exports["${name}"] = require("${name}");`).join("\n"),
    resolveDir: join(import.meta.dirname, ".."),
  },
  format: "cjs",
  outfile: `dist/${file}.cjs`,
}));

const ownUrl = 'const ownUrl = require("node:url").pathToFileURL(__filename).href;';
/** Options for the worker: a file of its own beside its parts, with lazy imports run on demand. */
export const worker = {
  ...program,
  entryPoints: { "worker-main": "src/worker.ts" },
  format: "cjs",
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  banner: { js: `${withoutJit}\n${ownUrl}` },
  plugins: [lazyMarked("./worker-markdown.cjs"), withParts],
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "ownUrl" },
} as const satisfies BuildOptions;
