import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { quietly } from "../core/quietly.ts";

/** Absolute paths of all files and folders that beckon keeps on a user's machine. */
export interface Paths {
  readonly root: string;
  readonly launcher: string;
  readonly app: string;
  /** Link to the Node to run, which the launcher runs. `beckon install` makes it. */
  readonly nodeLink: string;
  /** File with the absolute path of that Node, for the relay commands of other machines. */
  readonly nodeRecord: string;
  /** File with the folders, joined by `:`, in which the launcher also looks for programs. */
  readonly pathRecord: string;
  readonly worker: string;
  readonly config: string;
  readonly configSchema: string;
  readonly spool: string;
  readonly lock: string;
  /** File with the process number of a worker that was started but does not hold the lock yet. */
  readonly starting: string;
  readonly journal: string;
  readonly state: string;
  /** Folder for events to and from other machines; missing until the relay is set up. */
  readonly relay: string;
  /**
   * Folder for answers to permission requests; missing until the first request that may be answered outside the agent.
   */
  readonly asks: string;
}

/**
 * Finds the home folder: `HOME` (on Windows `USERPROFILE`) if it is an absolute path, else the folder in the passwd
 * entry. A relative `HOME` would lead into the project.
 * @throws {Error} `ERR_SYSTEM_ERROR` if the user has neither
 */
export function homeDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const fromEnv = process.platform === "win32" ? env["USERPROFILE"] : env["HOME"];
  if (fromEnv && isAbsolute(fromEnv)) return fromEnv;
  const fromOs = homedir();
  return isAbsolute(fromOs) ? fromOs : userInfo().homedir;
}

/** Returns the working directory; undefined if it was deleted. */
export function workingDirectory(): string | undefined {
  return quietly(() => process.cwd());
}

/** Replaces a leading `~/` with the home folder. */
export function expandHome(path: string): string {
  return path.startsWith("~/") ? join(homeDirectory(), path.slice(2)) : path;
}

/** Finds the root folder: an absolute `BECKON_HOME`, else `~/.beckon`. */
export function rootDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const configured = env["BECKON_HOME"];
  return configured && isAbsolute(configured) ? configured : join(homeDirectory(env), ".beckon");
}

/** Names of the spool's folders, in the order in which an event passes through them. */
export const spoolFolders = ["tmp", "new", "cur", "dead"] as const;

/** Lists the spool's folder and its subfolders. */
export function listSpoolFolders({ spool }: Pick<Paths, "spool">): readonly string[] {
  return [spool, ...spoolFolders.map((folder) => join(spool, folder))];
}

/** Builds all paths below a root. */
export function resolvePaths(root: string = rootDirectory()): Paths {
  const app = join(root, "app");
  const spool = join(root, "spool");
  return {
    root,
    launcher: join(root, "hook"),
    app,
    nodeLink: join(app, "bin", "node"),
    nodeRecord: join(app, "node"),
    pathRecord: join(app, "path"),
    worker: join(app, "dist", "worker.cjs"),
    config: join(root, "config.jsonc"),
    configSchema: join(root, "config.schema.json"),
    spool,
    lock: join(spool, "worker.lock"),
    starting: join(spool, "worker.starting"),
    journal: join(root, "journal"),
    state: join(root, "state"),
    relay: join(root, "relay"),
    asks: join(root, "asks"),
  };
}

/**
 * Returns the last part of a folder's path: `/home/me/shop` → `shop`. Also accepts Windows paths, which an agent in WSL
 * may use. A root keeps its own name.
 */
export function folderName(path: string): string {
  const separator = /^[A-Za-z]:[\\/]|^\\\\/.test(path) ? /[\\/]+/ : /\/+/;
  return path.split(separator).findLast((part) => part !== "") ?? path;
}

/**
 * Finds a file of beckon's package: the first of `candidates` (relative paths) that exists in the module's folder or in
 * a folder above it, up to the package's root; else undefined. Works for source files and for chunks in `dist/`.
 * @param moduleUrl the caller's `import.meta.url`
 */
export function findUp(moduleUrl: string, ...candidates: string[]): string | undefined {
  for (let folder = dirname(fileURLToPath(moduleUrl)); ; folder = dirname(folder)) {
    const found = candidates.map((candidate) => join(folder, candidate)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (existsSync(join(folder, "package.json")) || folder === dirname(folder)) return undefined;
  }
}
