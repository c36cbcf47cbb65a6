import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A package of the npm registry in one version. */
export interface PinnedPackage {
  readonly package: string;
  readonly version: string;
  /**
   * Versions of further packages by name, with programs for the platforms for which the registry lacks the package's
   * own.
   */
  readonly beside?: Readonly<Record<string, string>>;
}

/** A package on this machine. */
export interface InstalledPackage {
  readonly version: string;
  /** Folder that holds `node_modules`. */
  readonly folder: string;
}

const run = promisify(execFile);
const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "beckon-real-agents");

/** Reads the versions to run: of each agent by its name, and of the agents' Node as `node`. */
export function pinnedVersions(): Readonly<Record<string, PinnedPackage>> {
  return JSON.parse(readFileSync(join(import.meta.dirname, "versions.json"), "utf8"));
}

/** Finds the registry's `latest` version of a package. Fails if the registry has no such version. */
export async function latestVersion(pinned: PinnedPackage): Promise<PinnedPackage> {
  const { stdout } = await npm(["view", `${pinned.package}@latest`, "version"], process.cwd());
  return { ...pinned, version: stdout.trim() };
}

/**
 * Installs a package from the npm registry into the cache, once per version, with its install scripts. Fails with npm's
 * message if the registry lacks it.
 * @param options further npm options
 */
export async function installPackage(
  pinned: PinnedPackage,
  options: readonly string[] = [],
): Promise<InstalledPackage> {
  const { package: name, version, beside } = pinned;
  const folder = join(cache, `${name.replace(/^@/, "").replace("/", "-")}-${version}`);
  if (existsSync(folder)) return { version, folder };
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  const manifest = { private: true, dependencies: { [name]: version, ...beside }, allowScripts: { [name]: true } };
  writeFileSync(join(temporary, "package.json"), JSON.stringify(manifest));
  try {
    await npm(["install", "--no-audit", "--no-fund", "--ignore-scripts=false", ...options], temporary);
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  return { version, folder };
}

async function npm(args: readonly string[], cwd: string): Promise<{ stdout: string }> {
  try {
    return await run("npm", args, { cwd, maxBuffer: 10_000_000, timeout: 300_000 });
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const words = stderr.split("\n").filter((line) => line.startsWith("npm error"));
    throw new Error(`npm ${args.slice(0, 2).join(" ")} failed: ${words.slice(0, 3).join(" ") || stderr.slice(0, 300)}`);
  }
}
