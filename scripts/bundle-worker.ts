import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Metafile, type Plugin, transform } from "esbuild";
import { program, withoutJit } from "./build-options.ts";

/** What links the parts of a program, as its text. ESM would cost each a file, and Node its asynchronous loader. */
const linker = `(function (nodeRequire, folder, moduleUrl) {
  const parts = PARTS;
  const loaded = new Map();
  function link(name) {
    if (!name.startsWith("./")) return nodeRequire(name);
    const known = loaded.get(name);
    if (known) return known.exports;
    const part = parts[name] ?? nodeRequire(folder + name.slice(1));
    const module = { exports: {} };
    loaded.set(name, module);
    part(module, module.exports, link, moduleUrl);
    return module.exports;
  }
  return link(ENTRY);
})`;

/**
 * Bundles the worker, which starts for one event, and a person waits until its code is read. What it needs at once
 * becomes one script, `main.cjs`, which V8 can take from a cache of what it has compiled before; each part that it may
 * need later is a file beside it. The script's value is a function that returns the program's exports, given `require`,
 * the folder of the parts, and an address there that stands for `import.meta.url`.
 * @throws {Error} if what is needed at once calls `import()` with a name that is known at run time only
 */
export async function bundleWorker(folder: string, plugins: Plugin[] = []): Promise<void> {
  const { outputFiles, metafile } = await build({
    ...program,
    banner: { js: withoutJit },
    entryPoints: { [entryName]: "src/worker.ts" },
    plugins,
    format: "esm", // the only one that is split
    splitting: true,
    outdir: folder,
    chunkNames: "[name]-[hash]",
    outExtension: { ".js": ".cjs" },
    define: { "import.meta.url": "moduleUrl" },
    write: false,
    metafile: true,
  });
  const parts = await Promise.all(
    outputFiles.map(async ({ path, text }) => ({ name: basename(path), body: await asFunction(text) })),
  );
  const first = neededAtOnce(metafile);
  const [inMain, apart] = [parts.filter(({ name }) => first.has(name)), parts.filter(({ name }) => !first.has(name))];
  const table = inMain.map(({ name, body }) => `${JSON.stringify(`./${name}`)}: ${body}`).join(",\n");
  const main = linker.replace("ENTRY", `"./${entryName}.cjs"`).replace("PARTS", () => `{\n${table}\n}`);
  if (callsImport.test(main)) throw new Error("import() of what is named at run time, in code that is loaded at once");
  mkdirSync(folder, { recursive: true });
  for (const { name, body } of apart) writeFileSync(join(folder, name), `module.exports = ${body};\n`);
  writeFileSync(join(folder, "main.cjs"), main);
}

const entryName = "entry";
/** A call that only Node's own loader can answer: a script has none. */
const callsImport = /(?<![\w.$])import\(/;

/** The files that the entry cannot run without. */
function neededAtOnce({ outputs }: Metafile): ReadonlySet<string> {
  const files = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const needed = new Set([`${entryName}.cjs`]);
  for (const name of needed) {
    for (const { path, kind } of files.get(name)?.imports ?? []) {
      if (kind === "import-statement" && files.has(basename(path))) needed.add(basename(path));
    }
  }
  return needed;
}

/** A module as a CommonJS function. */
async function asFunction(text: string): Promise<string> {
  const { code } = await transform(text, { format: "cjs", platform: "node", target: "node20", ...minified });
  const linked = code.replace(/(?<![\w.$])import\(("[^"]+")\)/g, "Promise.resolve().then(() => require($1))");
  return `function (module, exports, require, moduleUrl) {${asAscii(linked)}}`;
}

const minified = { minifyWhitespace: true, minifySyntax: true } as const;

/** In ASCII, of which V8 keeps a byte per character. What esbuild leaves as it is stands in regular expressions. */
function asAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
