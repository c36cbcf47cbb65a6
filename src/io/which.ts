import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, extname, isAbsolute, join } from "node:path";

/** The absolute entries of PATH. A relative one would find programs in whatever folder the agent works in. */
export function searchFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  return (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
}

/**
 * The absolute path of a program, found by its bare name on the absolute entries of PATH, or undefined. On Windows only
 * `.exe` and `.com`: arguments of batch files cannot be quoted safely (https://github.com/nodejs/node/issues/52681).
 */
export function which(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (name === "" || name !== basename(name)) return undefined;
  for (const folder of searchFolders(env)) {
    for (const candidate of withExtensions(join(folder, name))) if (isProgram(candidate)) return candidate;
  }
  return undefined;
}

/** The absolute path of a program, given by its bare name or absolute path; undefined for any other, or if there is none. */
export function resolveProgram(file: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return isAbsolute(file) ? withExtensions(file).find(isProgram) : which(file, env);
}

function withExtensions(path: string): string[] {
  if (process.platform !== "win32") return [path];
  const extension = extname(path).toLowerCase();
  return extension === ".exe" || extension === ".com" ? [path] : [`${path}.exe`, `${path}.com`];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Absent, unreadable or not executable: all mean that it cannot be run.
    return false;
  }
}
