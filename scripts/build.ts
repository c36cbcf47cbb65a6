/**
 * Builds `dist/`: the hook entrypoints (one CommonJS file each, without dependencies), the worker (CommonJS) and the
 * command line (ES modules), both with all dependencies inlined, the process that runs node-notifier, and the library.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import manifest from "../package.json" with { type: "json" };
import { billOfMaterials } from "./bill-of-materials.ts";
import { program, shared, withoutJit, withParts, worker, workerParts } from "./build-options.ts";
import { mergeChunks, ownVersion, withoutPrograms } from "./command-line-plugins.ts";
import { bundledPackages, noticesFor } from "./notices.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const commonJs: BuildOptions = { format: "cjs", outdir: "dist", outExtension: { ".js": ".cjs" } };
/** CommonJS packages inlined into ES modules still call require() for Node's own modules. */
const requireFor =
  'import { createRequire as requireFor } from "node:module"; const require = requireFor(import.meta.url);';

rmSync(dist, { recursive: true, force: true });
const entrypoints = readdirSync(join(root, "hooks")).filter((file) => file.endsWith(".ts"));
const results = await Promise.all([
  build({
    ...shared,
    ...commonJs,
    entryPoints: entrypoints.map((file) => join("hooks", file)),
    minify: true,
    // A real import() would start Node's ES module loader, 4 ms; require() costs nothing until it is reached.
    supported: { "dynamic-import": false },
    outdir: "dist/hooks",
  }),
  build(worker),
  ...workerParts.map((part) => build(part)),
  build({
    ...shared,
    ...commonJs,
    entryPoints: { worker: "src/start-worker.ts", "import-module": "src/files/import-module.ts" },
    external: ["./worker-main.cjs"],
  }),
  // Built separately: shared code would be split into many small files.
  ...Object.entries({ "set-up": "src/set-up.ts", cli: "src/cli/main.ts" }).map(([name, file]) =>
    build({
      ...program,
      plugins: name === "cli" ? [withParts("../.."), ownVersion, mergeChunks, withoutPrograms] : [],
      entryPoints: { [name]: file },
      format: "esm",
      splitting: true,
      outdir: "dist",
      chunkNames: `chunks/${name}/[name]-[hash]`,
      banner: { js: name === "cli" ? withoutJit : `${requireFor}\n${withoutJit}` }, // for cli, see `addRequire`
    }),
  ),
  // CommonJS, because node-notifier finds its programs by __dirname.
  build({
    ...shared,
    ...commonJs,
    entryPoints: { "node-notifier-child": "src/io/node-notifier-child.ts" },
    minifyWhitespace: true,
  }),
  build({
    ...shared,
    entryPoints: {
      index: "src/index.ts",
      service: "src/service.ts",
      "service-fetch": "src/service-fetch.ts",
      "service-testing": "src/service-testing.ts",
      "service-errors": "src/service/error.ts", // apart, so that a bundler can take the errors without the client
    },
    format: "esm",
    external: ["zod"], // whose types are part of the library's
    splitting: true,
    outdir: "dist",
    chunkNames: "chunks/library/[name]-[hash]",
  }),
]);
addRequire();
for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (/^(?:worker-\w+\.cjs|chunks.cli.*\.js)$/.test(name)) escapeRegExps(join(dist, name));
}
const packages = bundledPackages(
  root,
  results.flatMap(({ metafile }) => metafile ?? []),
);
writeFileSync(join(dist, "THIRD-PARTY-NOTICES"), noticesFor(root, packages));
writeFileSync(join(dist, "bom.cdx.json"), billOfMaterials(manifest, packages));
cpSync(join(root, "node_modules/node-notifier/vendor"), join(dist, "vendor"), { recursive: true });
for (const script of ["hook.sh", "wait.sh"]) copyFileSync(join(root, "hooks", script), join(dist, "hooks", script));
for (const file of [join(dist, "hooks", "hook.sh"), join(dist, "cli.js")]) chmodSync(file, 0o755);
const tsc = join(root, "node_modules", ".bin", process.platform === "win32" ? "tsc.cmd" : "tsc");
if (existsSync(tsc)) {
  const options = ["--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--outDir", "dist/types"];
  const library = ["--rootDir", ".", "--project", "scripts/tsconfig.library.json"];
  execFileSync(tsc, [...library, ...options], { cwd: root, stdio: "inherit" });
}
console.log(`built ${basename(dist)}/`);

/**
 * Gives esbuild's runtime file of the command line `require`. Only this file calls it, and creating it takes 0.1 ms in
 * each file. The entry file does not need the runtime, although esbuild imports it there.
 */
function addRequire(): void {
  const folder = join(dist, "chunks", "cli");
  const runtime = readdirSync(folder).find((name) =>
    readFileSync(join(folder, name), "utf8").includes("typeof require"),
  );
  if (runtime === undefined) throw new Error(`${folder}: no file with esbuild's runtime`);
  writeFileSync(join(folder, runtime), `${requireFor}\n${readFileSync(join(folder, runtime), "utf8")}`);
  const entry = join(dist, "cli.js");
  writeFileSync(entry, readFileSync(entry, "utf8").replace(`import"./chunks/cli/${runtime}";`, ""));
}

/** Escapes characters that esbuild leaves in regular expressions. Any of them makes V8 keep the source in twice the bytes. */
function escapeRegExps(file: string): void {
  const escaped = readFileSync(file, "utf8").replace(/[^\0-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  writeFileSync(file, escaped);
}
