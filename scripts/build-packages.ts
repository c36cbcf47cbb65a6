/**
 * `npm run packages [-- --url URL]`: builds `packages/` from `dist/`: the npm tarball, each agent's plugin, and a
 * Homebrew formula and a Nix flake for the tarball at URL; without URL, for the file on this machine.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { installable } from "../src/installer/agents/installable.ts";
import { isPluginAgent, type PluginAgent, pluginFiles } from "../src/installer/plugins/plugin-files.ts";

const { values } = parseArgs({ options: { url: { type: "string" }, out: { type: "string", default: "packages" } } });
const root = join(import.meta.dirname, "..");
const out = resolve(values.out);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const tarball = packTarball();
for (const recipe of ["homebrew/beckon.rb", "nix/flake.nix"]) writeRecipe(recipe, tarball);
for (const agent of installable.filter(isPluginAgent)) writePlugin(agent);
console.log(`built ${out}`);

/** Packs what npm would publish, without the library's zod, which `npx` would look for on a registry for a minute. */
function packTarball(): string {
  const folder = mkdtempSync(join(tmpdir(), "pack-"));
  try {
    execFileSync("tar", ["-xzf", pack(root, folder), "-C", folder]);
    writeManifest(join(folder, "package"));
    return pack(join(folder, "package"), out);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function pack(folder: string, to: string): string {
  const options = ["--ignore-scripts", "--json", "--pack-destination", to]; // dist/ is already built
  const printed = execFileSync("npm", ["pack", ...options], { cwd: folder, encoding: "utf8" });
  const [packed] = JSON.parse(printed) as [{ readonly filename: string }];
  return join(to, packed.filename);
}

/** Writes the manifest of a package whose programs need nothing else, so that nothing is looked for or installed. */
function writeManifest(folder: string): void {
  const { scripts: _, devDependencies: __, peerDependencies: ___, peerDependenciesMeta: ____, ...rest } = manifest;
  write(join(folder, "package.json"), `${JSON.stringify(rest, undefined, 2)}\n`);
}

/** Writes the tarball's address and checksum into another package manager's recipe. */
function writeRecipe(path: string, tarball: string): void {
  const template = readFileSync(join(root, "packaging", path), "utf8");
  const url = values.url ?? pathToFileURL(tarball).href;
  const sha256 = createHash("sha256").update(readFileSync(tarball)).digest("hex");
  write(join(out, path), template.replace("@url@", () => url).replace("@sha256@", sha256));
}

/**
 * Writes a folder called `beckon`: Droid names a marketplace by its folder, and Gemini CLI requires this name of an
 * extension.
 */
function writePlugin(agent: PluginAgent): void {
  const folder = join(out, agent.name, manifest.name);
  const { name, version, description, license, keywords } = manifest;
  const files = pluginFiles(agent, { name, version, description, license, keywords });
  for (const [path, text] of Object.entries(files)) write(join(folder, path), text);
  for (const part of ["dist", "templates", "LICENSE"])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  const launcher = join(folder, "hook");
  cpSync(join(root, "dist", "hooks", "hook.sh"), launcher);
  chmodSync(launcher, 0o755);
  writeManifest(folder);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
