import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** Packages that ship no licence text, with the text they declare; verified by hand. */
const missingTexts: Readonly<Record<string, string>> = {
  growly: "MIT License\n\nCopyright (c) Ibrahim Al-Rajhi\n\n",
};
/** The conditions of the MIT License, for those packages. https://spdx.org/licenses/MIT.html */
const mitConditions = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;
/** Licence files at the top of a package; echarts keeps the licence of the code it took from d3 in a folder. */
const licenceFile = /^(licenses\/)?(licen[cs]e|copying|notice|copyright|terminal-notifier-license)/i;
/** Folders of programs that plugins and installations hold next to the bundles. */
const vendored = ["", "/notifu", "/snoreToast"].map((folder) => `node_modules/node-notifier/vendor${folder}`);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: string | { readonly url: string };
}

/** Folders, below the root, of the packages that bundles have code of, sorted. */
export function bundledPackages(metafiles: readonly Metafile[]): readonly string[] {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => packageFolder.exec(path)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(inputs)].sort();
}

/** The innermost package of a path. */
const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * The text of `THIRD-PARTY-NOTICES`: name, version, licence and address of each package, with its licence files in full.
 * @throws {Error} if a package has none
 */
export function noticesFor(root: string, folders: readonly string[]): string {
  const head =
    "beckon's programs contain code of the packages below. Each is followed by its licence and notices, in full.\n";
  const packages = folders.map((folder) => notice(root, folder));
  const programs = vendored.flatMap((folder) => licenceTexts(join(root, folder)));
  const vendor = `Programs of node-notifier for macOS and Windows\n\n${programs.join("\n\n")}`;
  return [head, ...packages, vendor].join(`\n${"=".repeat(80)}\n\n`);
}

function notice(root: string, folder: string): string {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
  const { name, version, license = "see below", repository } = manifest;
  const address = typeof repository === "string" ? repository : repository?.url;
  const texts = licenceTexts(join(root, folder));
  const copyright = missingTexts[name];
  if (texts.length === 0 && copyright !== undefined) texts.push(copyright + mitConditions);
  if (texts.length === 0) throw new Error(`${name} has no licence file: add its text to scripts/notices.ts`);
  return `${name} ${version}\nLicence: ${license}\n${address ? `${address}\n` : ""}\n${texts.join("\n\n")}\n`;
}

/** Reads the licence files of a package, in the same order on every system. */
function licenceTexts(folder: string): string[] {
  const below = ["", "licenses/"].filter((name) => existsSync(join(folder, name)));
  return below
    .flatMap((name) => readdirSync(join(folder, name), { withFileTypes: true }).map((file) => ({ name, file })))
    .filter(({ file }) => file.isFile())
    .map(({ name, file }) => name + file.name)
    .filter((path) => licenceFile.test(path))
    .sort()
    .map((path) => readFileSync(join(folder, path), "utf8").trim());
}
