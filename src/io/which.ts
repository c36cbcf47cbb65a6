import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, delimiter, extname, isAbsolute, join, sep } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { quietly, succeeds } from "../core/quietly.ts";
import { homeDirectory } from "../files/paths.ts";

/**
 * Lists the entries of PATH outside projects: absolute, not `node_modules/.bin`, which `npm exec` puts first, and not
 * below BECKON_PROJECT, the working directory of the hook that started this worker. Programs of a project are not
 * trusted.
 */
export function searchFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const project = env["BECKON_PROJECT"] || undefined;
  // The home folder and its parents never count as a project.
  const isProject = project !== undefined && !isBelow(homeDirectory(env), project);
  return folders.filter(
    (folder) => !/[\\/]node_modules[\\/]\.bin[\\/]*$/.test(folder) && !(isProject && isBelow(folder, project)),
  );
}

/** Lists the folders of the system's programs. */
export function systemFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  if (process.platform !== "win32") return ["/usr/bin", "/bin"];
  const system = join(env["SystemRoot"] ?? "C:\\Windows", "System32");
  return [system, join(system, "WindowsPowerShell", "v1.0")];
}

function isBelow(path: string, folder: string): boolean {
  const [inner, outer] = [realPath(path), realPath(folder)].map((each) => (each.endsWith(sep) ? each : each + sep));
  return inner !== undefined && outer !== undefined && inner.startsWith(outer);
}

/** The path itself if nothing is there. */
function realPath(path: string): string {
  return quietly(() => realpathSync(path)) ?? path;
}

/**
 * Finds a program by its bare name in `folders`; returns its absolute path. On Windows only `.exe` and `.com`, because
 * arguments of batch files cannot be quoted safely (https://github.com/nodejs/node/issues/52681).
 */
export function which(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
  folders: readonly string[] = searchFolders(env),
): string | undefined {
  if (name === "" || name !== basename(name)) return undefined;
  for (const folder of folders) {
    for (const candidate of withExtensions(join(folder, name))) if (isProgram(candidate)) return candidate;
  }
  return undefined;
}

/**
 * Resolves a program's bare name or absolute path to an absolute path; undefined for other paths or if it is missing.
 */
export function resolveProgram(file: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return isAbsolute(file) ? withExtensions(file).find(isProgram) : which(file, env);
}

/**
 * Returns a program's path that survives upgrades. This is the real path, because a version manager's shim needs its
 * shell setup, except for Homebrew and Nix, whose version folders disappear on upgrades: there it is the package
 * manager's link. https://docs.brew.sh/FAQ#how-do-i-keep-old-versions-of-a-formula-when-upgrading
 */
export function lastingPath(program: string, home: string = homeDirectory()): string {
  const real = realPath(program);
  return packageLinks(real, home).find((link) => realPath(link) === real) ?? real;
}

function packageLinks(real: string, home: string): string[] {
  const [, prefix, formula, rest] = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/(.+)$/.exec(real) ?? [];
  if (prefix !== undefined) return [`${prefix}/opt/${formula}/${rest}`];
  if (!real.startsWith("/nix/store/")) return [];
  const user = basename(home);
  const profiles = [join(home, ".nix-profile"), join(home, ".local/state/nix/profiles/profile")];
  const folders = [...profiles, `/etc/profiles/per-user/${user}`, "/run/current-system/sw"];
  return folders.map((folder) => join(folder, "bin", basename(real)));
}

/** Creates the error for a missing program that the user configured. */
export function noSuchProgram(program: string): DeliveryError {
  return new DeliveryError("unsupported", `the program ${program} does not exist`, {
    hint: "Set `program` to the absolute path of an executable file.",
  });
}

function withExtensions(path: string): string[] {
  if (process.platform !== "win32") return [path];
  const extension = extname(path).toLowerCase();
  return extension === ".exe" || extension === ".com" ? [path] : [`${path}.exe`, `${path}.com`];
}

function isProgram(path: string): boolean {
  return succeeds(() => accessSync(path, constants.X_OK)) && quietly(() => statSync(path))?.isFile() === true;
}
