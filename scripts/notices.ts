import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { omitUndefined } from "../src/core/omit-undefined.ts";

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

/** Package whose code is in the bundles. */
export interface BundledPackage {
  /** Folder below the root, of several copies the first. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** Licence by its SPDX name. */
  readonly license?: string;
  readonly address?: string;
}

/** Lists the packages whose code is in the bundles, each version once, sorted by folder. */
export function bundledPackages(root: string, metafiles: readonly Metafile[]): readonly BundledPackage[] {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => packageFolder.exec(path)?.[0])
    .filter((folder) => folder !== undefined);
  const packages = [...new Set(inputs)].sort().map((folder): BundledPackage => {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
    const { name, version, license, repository } = manifest;
    const address = typeof repository === "string" ? repository : repository?.url;
    return { folder, name, version, ...omitUndefined({ license, address }) };
  });
  return packages.filter(({ name, version }, index) => {
    return packages.findIndex((other) => other.name === name && other.version === version) === index;
  });
}

interface Manifest extends Omit<BundledPackage, "folder" | "address"> {
  readonly repository?: string | { readonly url: string };
}

/** Matches the folder of the innermost package in a path. */
const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Builds the text of `THIRD-PARTY-NOTICES`: name, version, licence and address of each package, with its licence files
 * in full. A package without any gets those of another package from its repository.
 * @throws {Error} if there is no licence text
 */
export function noticesFor(root: string, packages: readonly BundledPackage[]): string {
  const head =
    "beckon's programs contain code of the packages below. Each is followed by its licence and notices, in full.\n";
  const notices = packages.map(({ folder, name, version, license = "see below", address }) => {
    const siblings = packages.filter((other) => address !== undefined && other.address === address);
    const texts = findTexts(root, [folder, ...siblings.map((sibling) => sibling.folder)]);
    return `${name} ${version}\nLicence: ${license}\n${address ? `${address}\n` : ""}\n${texts.join("\n\n")}\n`;
  });
  const licences = programFolders.flatMap((folder) => findTexts(root, [folder]));
  const programs = `Programs of node-notifier for macOS and Windows\n\n${licences.join("\n\n")}\n`;
  return [head, ...notices, programs].join(`\n${"=".repeat(80)}\n\n`);
}

/** Returns the licence texts of the first folder that has some. @throws {Error} if none has */
function findTexts(root: string, folders: readonly string[]): readonly string[] {
  const found = folders.map((folder) => licenceTexts(join(root, folder))).find((texts) => texts.length > 0);
  if (found) return found;
  throw new Error(`${folders[0]} has no licence text: read its terms before bundling the package`);
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
  return texts.sort(([name], [other]) => (name < other ? -1 : 1)).map(([, text]) => text);
}
