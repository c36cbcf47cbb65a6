import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, delimiter, extname, isAbsolute, join, sep } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { quietly, succeeds } from "../core/quietly.ts";
import { homeDirectory } from "../files/paths.ts";

/**
 * Lists the folders of PATH that may contain trusted programs. Leaves out relative folders, folders inside the project,
 * and `node_modules/.bin`, which `npm exec` puts first. BECKON_PROJECT names the project: the working directory of the
 * hook that started this worker. The home folder and its parents do not count as a project.
 */
export function searchFolders(env: NodeJS.ProcessEnv): string[] {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const project = env["BECKON_PROJECT"] || undefined;
  const isProject = project !== undefined && !isBelow(homeDirectory(env), project);
  return folders.filter(
    (folder) => !/[\\/]node_modules[\\/]\.bin[\\/]*$/.test(folder) && !(isProject && isBelow(folder, project)),
  );
}

/** Lists the folders that contain the system's programs. */
export function systemFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  if (process.platform !== "win32") return ["/usr/bin", "/bin"];
  const system = join(env["SystemRoot"] ?? "C:\\Windows", "System32");
  return [system, join(system, "WindowsPowerShell", "v1.0")];
}

function isBelow(path: string, folder: string): boolean {
  const [inner, outer] = [realPath(path), realPath(folder)].map((each) => (each.endsWith(sep) ? each : each + sep));
  return inner !== undefined && outer !== undefined && inner.startsWith(outer);
}

/** Returns a path with all links resolved; unchanged if the path does not exist. */
function realPath(path: string): string {
  return quietly(() => realpathSync(path)) ?? path;
}

/**
 * Finds a program in `folders` by its bare name and returns its absolute path. On Windows, finds only `.exe` and
 * `.com`, because arguments for batch files cannot be quoted safely (https://github.com/nodejs/node/issues/52681).
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

/** Resolves a bare name or an absolute path to a program's absolute path; undefined if the program is missing. */
export function resolveProgram(file: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return isAbsolute(file) ? withExtensions(file).find(isProgram) : which(file, env);
}

/**
 * Returns a path that still leads to a program after upgrades. For a program from Homebrew or Nix, that is the package
 * manager's link, because the real path contains a version and disappears on upgrades. For any other program it is the
 * real path, because a version manager's shim needs the manager's shell setup.
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

/** Creates the error for a program that the user configured but that is missing. */
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
