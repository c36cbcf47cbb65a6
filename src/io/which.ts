import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, delimiter, extname, isAbsolute, join, sep } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { quietly, succeeds } from "../core/quietly.ts";
import { homeDirectory } from "../files/paths.ts";

/**
 * The entries of PATH that are no project's: absolute, not `node_modules/.bin`, which `npm exec` puts first, and not
 * below BECKON_PROJECT, the folder in which the hook ran that started this worker. A project's programs are not the
 * user's.
 */
export function searchFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const project = env["BECKON_PROJECT"] || undefined;
  // An agent that works in the home folder, or above it, makes no project of it.
  const isProject = project !== undefined && !isBelow(homeDirectory(env), project);
  return folders.filter(
    (folder) => !/[\\/]node_modules[\\/]\.bin[\\/]*$/.test(folder) && !(isProject && isBelow(folder, project)),
  );
}

/** The folders of the system's own programs. */
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
 * The absolute path of a program, found by its bare name in `folders`, or undefined. On Windows only `.exe` and `.com`:
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
 * The absolute path of a program, given by its bare name or absolute path; undefined for any other, or if there is
 * none.
 */
export function resolveProgram(file: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return isAbsolute(file) ? withExtensions(file).find(isProgram) : which(file, env);
}

/**
 * The path of a program that stays when its package is upgraded. It is the real one, since a version manager's shim
 * needs the shell that it was set up in; but a program of Homebrew's or Nix' lies in a folder of its version, which
 * goes with the version, and is found by the link that the package manager keeps.
 * https://docs.brew.sh/FAQ#how-do-i-keep-old-versions-of-a-formula-when-upgrading
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

/** The error for a program of the user's that is not there. */
export function noSuchProgram(program: string): DeliveryError {
  return new DeliveryError("unsupported", `there is no program ${program}`, {
    hint: "Give `program` the absolute path of an executable file.",
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
