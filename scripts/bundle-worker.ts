import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Metafile, type Plugin, transform } from "esbuild";
import { defaultValues } from "../src/config/default-values.ts";
import { program, withoutJit } from "./build-options.ts";

/** What links the parts of a program, as its text. ESM would cost each a file, and Node its asynchronous loader. */
const linker = `(function (nodeRequire, folder, moduleUrl) {
  const parts = PARTS;
  const slow = SLOW;
  const loaded = new Map();
  function whenUsed(name) {
    let whole;
    return new Proxy({}, { get: (_, key) => (whole ??= nodeRequire(name))[key] });
  }
  function link(name) {
    if (slow.includes(name)) return whenUsed(name);
    if (!name.startsWith("./")) return nodeRequire(name);
    const known = loaded.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const own = parts[name];
    if (own) own(module, module.exports, link, moduleUrl);
    else nodeRequire(folder + name.slice(1))(module, module.exports, linkApart, moduleUrl);
    return module.exports;
  }
  function linkApart(name) {
    return name.startsWith("./") ? link(name) : nodeRequire(name);
  }
  return link(ENTRY);
})`;

/** Modules of Node's that take a third of a millisecond or more to load: the script loads them when it uses them. */
const slow = ["child_process", "dns", "fs/promises", "http", "https", "net", "os", "timers/promises"].map(
  (name) => `node:${name}`,
);

/**
 * Bundles the worker, which starts for one event, and a person waits until its code is read. What it needs at once
 * becomes one script, `main.cjs`, which V8 can take from a cache of what it has compiled before. So does our own code
 * that may be needed later, which runs when it is; with a library, or the texts of a language, it is a file beside it.
 * The script's value is a function that returns the program's exports, given `require`, the folder of the files, and an
 * address there that stands for `import.meta.url`.
 * @returns what esbuild says of its inputs
 * @throws {Error} if what is needed at once calls `import()` with a name that is known at run time only, or the script
 *   takes one of the `slow` modules as a whole
 */
export async function bundleWorker(
  folder: string,
  plugins: readonly Plugin[] = [],
): Promise<{ readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    ...program,
    banner: { js: withoutJit },
    entryPoints: { [entryName]: "src/worker.ts" },
    plugins: [...(program.plugins ?? []), defaultsAsValues, ...plugins],
    format: "esm", // the only one that is split
    splitting: true,
    outdir: folder,
    chunkNames: "[name]-[hash]",
    outExtension: { ".js": ".cjs" },
    define: { "import.meta.url": "moduleUrl" },
    write: false,
  });
  const parts = await Promise.all(
    outputFiles.map(async ({ path, text }) => ({ name: basename(path), body: await asFunction(text) })),
  );
  const [atOnce, others] = [neededAtOnce(metafile), withOthers(metafile)];
  const isInMain = ({ name, body }: Part) => atOnce.has(name) || !(others.has(name) || callsImport.test(body));
  const [inMain, apart] = [parts.filter(isInMain), parts.filter((part) => !isInMain(part))];
  const table = inMain.map(({ name, body }) => `${JSON.stringify(`./${name}`)}: ${body}`).join(",\n");
  const main = linker
    .replace("ENTRY", `"./${entryName}.cjs"`)
    .replace("SLOW", JSON.stringify(slow))
    .replace("PARTS", () => `{\n${table}\n}`);
  if (callsImport.test(main)) throw new Error("import() of what is named at run time, in code that is needed at once");
  const whole = slow.find((name) => main.includes(`__toESM(require("${name}")`));
  if (whole) throw new Error(`${whole} as a whole, in the worker's script: import what is used of it by name`);
  mkdirSync(folder, { recursive: true });
  for (const { name, body } of apart) writeFileSync(join(folder, name), `module.exports = ${body};\n`);
  writeFileSync(join(folder, "main.cjs"), main);
  return { metafile };
}

/** What `src/config/default-values.ts` comes to, in its place. */
const defaultsAsValues: Plugin = {
  name: "defaults-as-values",
  setup(plugin) {
    plugin.onLoad({ filter: /[\\/]config[\\/]default-values\.ts$/ }, () => ({
      contents: `export const defaultValues = ${JSON.stringify(defaultValues)};`,
    }));
  },
};

/** A module of the program, as a CommonJS function. */
interface Part {
  readonly name: string;
  readonly body: string;
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

/** The files that hold more than our own code: a library, the texts of a language. */
function withOthers({ outputs }: Metafile): ReadonlySet<string> {
  const isOther = (path: string) => !path.startsWith("src/");
  const having = Object.entries(outputs).filter(([, { inputs }]) => Object.keys(inputs).some(isOther));
  return new Set(having.map(([path]) => basename(path)));
}

/** A module as a CommonJS function. */
async function asFunction(text: string): Promise<string> {
  const { code: module } = await transform(text, asCommonJs);
  // What esbuild makes of exports is a function for each, called wherever one is used. Here all are done by the end.
  const [whole, exported = ""] = exportsOfModule.exec(module) ?? [];
  const values = exported.replaceAll("()=>", "");
  const plain = whole === undefined ? module : `${module.replace(whole, "")}Object.assign(module.exports,{${values}});`;
  const asItIs = (whole: string, name: string, call: string) =>
    plain.includes(`${name}.default`) ? whole : `${name}=${call}`;
  const { code } = await transform(plain.replace(wholeNodeModule, asItIs), { ...asCommonJs, treeShaking: true });
  const linked = code.replace(/(?<![\w.$])import\(("[^"]+")\)/g, "Promise.resolve().then(() => require($1))");
  return `function (module, exports, require, moduleUrl) {${asAscii(linked)}}`;
}

const exportsOfModule = /__export\(stdin_exports,\{([^{}]*)\}\);module\.exports=__toCommonJS\(stdin_exports\);/;
/** A module of Node's with a getter for all that it has; needed only for its default export. */
const wholeNodeModule = /(\w+)=__toESM\((require\("node:[^"]+"\))\)/g;
const minified = { minifyWhitespace: true, minifySyntax: true } as const;
const asCommonJs = { format: "cjs", platform: "node", target: "node20", ...minified } as const;

/** In ASCII, of which V8 keeps a byte per character. What esbuild leaves as it is stands in regular expressions. */
function asAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
