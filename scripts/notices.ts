import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** Names of files that hold a licence or a notice. */
const licenceFile = /^(licen[cs]e|copying|notice|copyright)|-LICENSE$/i;
/** Matches the licence in the last section of a README. */
const licenceSection = /^#+ *licen[cs]e\b[ #]*\n([\s\S]*copyright[\s\S]*)$/im;
/**
 * Folders with licences of node-notifier's programs, which plugins and installations include next to the bundles. The
 * last has the GPL, which SnoreToast's LGPL refers to and node-notifier omits.
 */
const programFolders = [
  ...["", "/notifu", "/snoreToast"].map((folder) => `node_modules/node-notifier/vendor${folder}`),
  "packaging/licences",
];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: string | { readonly url: string };
}

/** Lists the folders, below the root, of packages whose code is in the bundles, sorted. */
export function bundledPackages(metafiles: readonly Metafile[]): readonly string[] {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => packageFolder.exec(path)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(inputs)].sort();
}

/** Matches the folder of the innermost package in a path. */
const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Builds the text of `THIRD-PARTY-NOTICES`: name, version, licence and address of each package in `folders`, with its
 * licence files in full.
 * @throws {Error} if a package ships no licence text
 */
export function noticesFor(root: string, folders: readonly string[]): string {
  const head =
    "beckon's programs contain code of the packages below. Each is followed by its licence and notices, in full.\n";
  const packages = folders.map((folder) => notice(root, folder));
  const licences = programFolders.flatMap((folder) => licenceTexts(join(root, folder)));
  const programs = `Programs of node-notifier for macOS and Windows\n\n${licences.join("\n\n")}\n`;
  return [head, ...packages, programs].join(`\n${"=".repeat(80)}\n\n`);
}

function notice(root: string, folder: string): string {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
  const { name, version, license = "see below", repository } = manifest;
  const address = typeof repository === "string" ? repository : repository?.url;
  const texts = licenceTexts(join(root, folder));
  return `${name} ${version}\nLicence: ${license}\n${address ? `${address}\n` : ""}\n${texts.join("\n\n")}\n`;
}

/** Reads a package's licences and notices, including those of code it contains, such as d3's in echarts. */
function licenceTexts(folder: string): readonly string[] {
  const files = [folder, join(folder, "licenses")]
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      readdirSync(path, { withFileTypes: true }).map((file) => ({ file, path: join(path, file.name) })),
    )
    .filter(({ file }) => file.isFile());
  const read = ({ path }: { readonly path: string }) => readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim();
  const texts = files.filter(({ file }) => licenceFile.test(file.name)).map((file) => [file.path, read(file)] as const);
  const readme = files.find(({ file }) => /^readme\.md$/i.test(file.name));
  const section = readme && licenceSection.exec(read(readme))?.[1]?.trim();
  if (texts.length === 0 && section) return [section];
  if (texts.length === 0) throw new Error(`${folder} has no licence text: read its terms before bundling the package`);
  return texts.sort(([name], [other]) => (name < other ? -1 : 1)).map(([, text]) => text);
}
