import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { quietly } from "../core/quietly.ts";
import { listSpoolFolders, type Paths } from "./paths.ts";
import { isOwn } from "./read-file.ts";

/** Problem that keeps beckon from using its root folder. */
export interface RootProblem {
  /** Description, beginning with the path. */
  readonly message: string;
  /** Advice on fixing it. */
  readonly cure: string;
}

type RootPaths = Pick<Paths, "root" | "spool" | "journal" | "state">;
type ProgramPaths = RootPaths & Pick<Paths, "app" | "nodeLink" | "relay">;

/**
 * Explains why this user must not write into the root folder: another user owns the root or a beckon folder in it, a
 * beckon folder in it is a link, or the root is a link to nothing. For example, beckon run with `sudo` would leave
 * files that the user cannot read. If the root is a link, its target is checked; if the root is missing, the nearest
 * folder above it. Undefined if there is no problem, and on Windows, where access lists decide.
 */
export function foreignRoot(paths: RootPaths): RootProblem | undefined {
  const userId = process.getuid?.();
  if (userId === undefined) return undefined;
  const target = danglingTarget(paths.root);
  if (target !== undefined) {
    const cure = "Make or mount that folder, or remove the link; then run `beckon install`.";
    return { message: `${paths.root} is a link to ${target}, which is missing`, cure };
  }
  const { path, stats } = nearestExisting(paths.root);
  const isOwn = stats.uid === userId || (path !== paths.root && stats.uid === 0);
  if (!isOwn) return describeForeignOwner(path, stats.uid, userId);
  for (const folder of listFolders(paths)) {
    const found = quietly(() => lstatSync(folder));
    if (found?.isSymbolicLink()) {
      return {
        message: `${folder} is a link`,
        cure: `Put a folder in its place: rm '${folder}' && mkdir -m 700 '${folder}'`,
      };
    }
    if (found && found.uid !== userId) return describeForeignOwner(folder, found.uid, userId);
  }
  return undefined;
}

/**
 * Explains why the root folder cannot be trusted: for a reason that `foreignRoot` finds, or because other users could
 * have put files into the root or a beckon folder in it. On a file system without modes (see `modelessRoot`) folders
 * open to others are trusted, because the user cannot change their permissions.
 */
export function untrustedRoot(paths: ProgramPaths): RootProblem | undefined {
  const problem = foreignRoot(paths);
  if (problem || process.getuid === undefined) return problem;
  // Only in a folder that others may enter do the modes of files matter.
  const isShared = isWritableByOthers(paths.root, 0o011);
  const key = `${paths.app} ${isShared}`;
  const program = programs.get(key) ?? listTree(paths.app, isShared);
  programs.set(key, program);
  const files = isShared ? [join(paths.root, "hook"), join(paths.root, "config.jsonc")] : [];
  // The Node that the link leads to is the system's or a version manager's, which may leave it writable by a group.
  const open = [paths.root, ...listFolders(paths), paths.relay, ...files, ...program].find(
    (path) => path !== paths.nodeLink && isWritableByOthers(path),
  );
  if (open === undefined || !keepsModes(statSync(open).isDirectory() ? open : dirname(open))) return undefined;
  const cure = `Check that its files are yours, especially config.jsonc, then: chmod go-w '${open}'`;
  return { message: `${open} can be written to by other users`, cure };
}

/** Finds the first of beckon's folders that is a file, a pipe or a dead link instead. */
export function misplacedFolder(paths: ProgramPaths): RootProblem | undefined {
  const { path: ancestor, stats } = nearestExisting(paths.root);
  if (ancestor !== paths.root && !stats.isDirectory()) {
    return { message: `${ancestor} must be a folder`, cure: "Set BECKON_HOME to a folder that exists or can be made." };
  }
  const path = [paths.root, ...listFolders(paths), paths.relay].find(isMisplaced);
  if (path === undefined) return undefined;
  const recreateCommand = path === paths.root ? "beckon install" : `mkdir -m 700 '${path}'`;
  const cure = `Put a folder in its place: mv '${path}' '${path}.old' && ${recreateCommand}`;
  return { message: `${path} must be a folder`, cure };
}

/** Tells if a path exists but does not lead to a folder. */
export function isMisplaced(path: string): boolean {
  return quietly(() => lstatSync(path)) !== undefined && quietly(() => statSync(path))?.isDirectory() !== true;
}

/**
 * Describes the problem of a root folder that is open to other users because its file system has no modes (vfat,
 * Windows drives in WSL). Undefined if the root is private or missing.
 */
export function modelessRoot({ root }: Pick<Paths, "root">): RootProblem | undefined {
  if (process.getuid === undefined || !isWritableByOthers(root, 0o077) || keepsModes(root)) return undefined;
  return {
    message: `${root} is on a file system without permissions: other users may read and change what is there`,
    cure: "If others use this machine, set BECKON_HOME to a folder on another file system and install again.",
  };
}

/** Advice on moving beckon's folder elsewhere with all that is in it, or on copying it from where nothing can be removed. */
export function moveAdvice({ root }: Pick<Paths, "root">, command = "mv"): string {
  return (
    `${command} '${root}' FOLDER, then add \`export BECKON_HOME=FOLDER\` to your shell's startup file, and in a new terminal run: ` +
    "FOLDER/app/dist/cli.js install. If config.jsonc names secrets in the old folder, correct their paths."
  );
}

function describeForeignOwner(path: string, owner: number, userId: number): RootProblem {
  const cure =
    userId === 0
      ? "Run this as that user. If root uses another user's HOME, as in some containers, set BECKON_HOME to a folder that root owns."
      : `Set BECKON_HOME to a folder you own, or become the owner: sudo chown -R ${userId} '${path}'`;
  return { message: `${path} belongs to another user (${owner})`, cure };
}

/** Lists the folders that hook and worker write to. */
function listFolders(paths: RootPaths): string[] {
  return [...listSpoolFolders(paths), paths.journal, paths.state];
}

/**
 * Folders of each program, with its files if others may enter, which take milliseconds to list. Who could add one could
 * write to one of these.
 */
const programs = new Map<string, readonly string[]>();

/** Lists a folder, all folders below it, and links in them, which are not followed; on request, also their files. */
function listTree(folder: string, withFiles: boolean): string[] {
  const entries = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  const listed = entries.filter((entry) => withFiles || entry.isDirectory() || entry.isSymbolicLink());
  const below = listed.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listTree(path, withFiles) : [path];
  });
  return [folder, ...below];
}

/** Returns the target of a link that leads nowhere. */
function danglingTarget(path: string): string | undefined {
  return quietly(() => {
    const isDangling = lstatSync(path).isSymbolicLink() && statSync(path, { throwIfNoEntry: false }) === undefined;
    return isDangling ? readlinkSync(path) : undefined;
  });
}

/**
 * Finds the path, or the nearest existing folder above it. A path in a folder that this user may not enter counts as
 * missing.
 */
function nearestExisting(path: string): { readonly path: string; readonly stats: Stats } {
  try {
    return { path, stats: statSync(path) };
  } catch {
    return nearestExisting(dirname(path));
  }
}

/** Tells if other users have any of the permissions in `mode` on a path; default: write permission. */
function isWritableByOthers(path: string, mode = 0o022): boolean {
  return ((quietly(() => statSync(path))?.mode ?? 0) & mode) !== 0;
}

/** Tells if a folder's file system keeps modes, so that a new private file is private. */
function keepsModes(folder: string): boolean {
  const probe = join(folder, `.mode-${process.pid}-${Math.random().toString(36).slice(2)}`);
  try {
    closeSync(openSync(probe, "wx", 0o600));
    return (statSync(probe).mode & 0o077) === 0;
  } catch {
    return true; // no file can be created there
  } finally {
    quietly(() => rmSync(probe, { force: true })); // fails if the folder is a file
  }
}

/** Folders for temporary files. Sandboxes let an agent's commands write to them. */
const temporaryFolders = ["/tmp", "/var/tmp", "/dev/shm"] as const;

/**
 * Explains why an agent's sandboxed commands may be able to write to beckon's folder, and so could plant answers;
 * undefined if the folder is neither in a project nor among temporary files. Follows links.
 * @param projects absolute paths of the folders in which the agent works
 */
export function explainExposure({ root }: Pick<Paths, "root">, projects: readonly string[]): string | undefined {
  const place = findTarget(root);
  if (place === undefined) return "beckon's folder cannot be found";
  const isBelow = (folder: string): boolean => {
    const target = findTarget(folder);
    return target !== undefined && `${place}${sep}`.startsWith(target.endsWith(sep) ? target : target + sep);
  };
  if (projects.some(isBelow)) return "beckon's folder is in the project";
  return [...temporaryFolders, tmpdir()].some(isBelow) ? "beckon's folder is among temporary files" : undefined;
}

/** Tells if no worker can put an answer into the folder of answers. A missing folder will be made. */
export function isUnusableFolder(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && !(stats.isDirectory() && isOwn(stats));
}

function findTarget(folder: string): string | undefined {
  return quietly(() => realpathSync(folder));
}
