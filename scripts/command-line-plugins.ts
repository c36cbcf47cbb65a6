import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
const source = join(root, "src");
/** Rooms whose files every command loads, if they need only Node and each other. */
const lowRooms = ["core", "files", "text", "journal"].map((room) => join(source, room));
/** Matches a static import of a package, or of `node:crypto`, which takes Node 2 ms to load. */
const heavyImport = /^(?:import|export) (?!type )[^;"()=]*from "(?:node:crypto"|(?!\.|node:))/m;

/**
 * Files whose static imports become one chunk, with the imports of the files before them left out. Whoever needs a file
 * of a chunk loads the whole chunk, so list only what most commands need together.
 */
const chunks = [
  [...inSource("cli/run-process.ts", "cli/say.ts", "cli/options.ts", "attention/session-memory.ts"), ...listLight()],
  inSource("files/atomic-file.ts"),
  inSource("attention/sessions.ts"),
  inSource("agents/registry.ts"),
  inSource("config/load.ts"),
  inSource("cli/ports.ts"),
  inSource("installer/inspect.ts", "installer/agents/disabling-settings.ts"),
  inSource("spool/spool-state.ts"),
  inSource("actions/assess-notifiers.ts"),
  inSource("cli/status/facts.ts"),
];

function inSource(...files: readonly string[]): string[] {
  return files.map((file) => join(source, file));
}

/**
 * Merges chunks. esbuild makes a chunk for each set of commands that share a file, a hundred for some commands, and
 * Node 20 takes a third of a millisecond for each.
 */
export const mergeChunks: Plugin = {
  name: "merge-chunks",
  setup(build) {
    const homes = new Map<string, readonly string[]>();
    for (const chunk of chunks) for (const file of chunk) addImports(file, chunk, homes);
    // `sideEffects` in package.json would let esbuild drop an import that only loads a file.
    build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      return homes.has(file) ? { path: file, sideEffects: true } : undefined;
    });
    // The first file of a chunk loads the chunk's other files, and every importer from outside loads the first file.
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const own = homes.get(path);
      const others = new Set(listImports(path).map((file) => homes.get(file)));
      const loaded = [...others].flatMap((chunk) => (chunk === undefined || chunk === own ? [] : chunk.slice(0, 1)));
      if (own?.[0] === path) loaded.push(...own.slice(1));
      const lines = loaded.map((file) => `import ${JSON.stringify(file)};`);
      return { contents: lines.join("") + readFileSync(path, "utf8"), loader: "ts" };
    });
  },
};

function listLight(): string[] {
  const files = lowRooms.flatMap((room) => readdirSync(room).map((name) => join(room, name)));
  return files.filter((file) => {
    if (!file.endsWith(".ts")) return false;
    const needed = new Map<string, readonly string[]>();
    addImports(file, [], needed);
    return [...needed.keys()].every(
      (each) => lowRooms.includes(dirname(each)) && !heavyImport.test(readFileSync(each, "utf8")),
    );
  });
}

/** Records the chunk of a file and of its static imports. */
function addImports(file: string, chunk: readonly string[], homes: Map<string, readonly string[]>): void {
  if (homes.has(file)) return;
  homes.set(file, chunk);
  for (const each of listImports(file)) addImports(each, chunk, homes);
}

/** Lists a file's static imports of other source files, without types. */
function listImports(file: string): string[] {
  const found = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )[^;"()=]*from "(\.[^"]+\.ts)"/gm);
  return Array.from(found, ([, path = ""]) => join(dirname(file), path));
}

/** Leaves `node:child_process` out of commander, which needs it only for commands in programs of their own. */
export const withoutPrograms: Plugin = {
  name: "without-programs",
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) => {
      return /[\\/]commander[\\/]/.test(importer) ? { path: "child_process", namespace: "empty" } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "" }));
  },
};

/** Inlines the version into the entry file, so that `beckon --version` loads no other file. */
export const ownVersion: Plugin = {
  name: "own-version",
  setup(build) {
    build.onResolve({ filter: /\/package\.json$/ }, ({ importer }) => {
      return importer.endsWith("main.ts") ? { path: "package.json", namespace: "version" } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "version" }, () => {
      const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};
