import { closeSync, lstatSync, openSync, readlinkSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { foldersOfSpool, type Paths } from "./paths.ts";

/** Why beckon leaves its root alone. */
export interface RootProblem {
  /** What is wrong, beginning with the path. */
  readonly message: string;
  /** What to do about it. */
  readonly cure: string;
}

type RootPaths = Pick<Paths, "root" | "spool" | "journal" | "state">;
type ProgramPaths = RootPaths & Pick<Paths, "app" | "relay">;

/**
 * Why this user must not write into the root: another user owns it or one of beckon's folders in it, or such a folder
 * is a link. Root in a user's home (`sudo`) would leave files there that the user cannot read. The root itself may be a
 * link of the user's; it is judged by its target, and one that does not exist by the folder it would be made in.
 * Undefined: nothing is wrong, or this is Windows, where access lists decide.
 */
export function foreignRoot(paths: RootPaths): RootProblem | undefined {
  const me = process.getuid?.();
  if (me === undefined) return undefined;
  const target = danglingTarget(paths.root);
  if (target !== undefined) {
    const cure = "Make or mount that folder, or remove the link; then run `beckon install`.";
    return { message: `${paths.root} is a link to ${target}, which is missing`, cure };
  }
  const { path, stats } = nearestExisting(paths.root);
  const isOwn = stats.uid === me || (path !== paths.root && stats.uid === 0);
  if (!isOwn) return foreign(path, stats.uid, me);
  for (const folder of foldersOf(paths)) {
    const found = statIfAny(folder, lstatSync);
    if (found?.isSymbolicLink()) {
      return {
        message: `${folder} is a link`,
        cure: `Put a folder in its place: rm '${folder}' && mkdir -m 700 '${folder}'`,
      };
    }
    if (found && found.uid !== me) return foreign(folder, found.uid, me);
  }
  return undefined;
}

/**
 * Why nothing in the root can be trusted: as `foreignRoot`, or other users can write into the root or one of beckon's
 * folders in it, so that the configuration and the programs that run may be theirs. A root for which there is a
 * `modelessRoot` counts as trusted: its user cannot close it.
 */
export function untrustedRoot(paths: ProgramPaths): RootProblem | undefined {
  const problem = foreignRoot(paths);
  if (problem || process.getuid === undefined) return problem;
  const programs = [paths.app, join(paths.app, "dist"), join(paths.app, "dist", "hooks")];
  const open = [paths.root, ...foldersOf(paths), ...programs, paths.relay].find((path) => isOpen(path));
  if (open === undefined || !keepsModes(open)) return undefined;
  const cure = `Check that its files are yours, config.jsonc above all, then: chmod 700 '${open}'`;
  return { message: `${open} can be written to by other users`, cure };
}

/** Finds the first folder in which hook or worker would store something and which is a file, a pipe or a dead link. */
export function misplacedFolder(paths: ProgramPaths): RootProblem | undefined {
  const { path: above, stats } = nearestExisting(paths.root);
  if (above !== paths.root && !stats.isDirectory()) {
    return { message: `${above} must be a folder`, cure: "Set BECKON_HOME to a folder that exists or can be made." };
  }
  const path = [paths.root, ...foldersOf(paths), paths.relay].find(isMisplaced);
  if (path === undefined) return undefined;
  const remake = path === paths.root ? "beckon install" : `mkdir -m 700 '${path}'`;
  const cure = `Put a folder in its place: mv '${path}' '${path}.old' && ${remake}`;
  return { message: `${path} must be a folder`, cure };
}

/** Returns whether a path exists and leads to something other than a folder. */
export function isMisplaced(path: string): boolean {
  return statIfAny(path, lstatSync) !== undefined && statIfAny(path, statSync)?.isDirectory() !== true;
}

/**
 * What is to be said of a root on a file system that keeps no modes (vfat, Windows' drives in WSL) and shows it as open
 * to other users. Undefined where it is private, or does not exist.
 */
export function modelessRoot({ root }: Pick<Paths, "root">): RootProblem | undefined {
  if (process.getuid === undefined || !isOpen(root, 0o077) || keepsModes(root)) return undefined;
  return {
    message: `${root} is on a file system without permissions: other users may read and change what is there`,
    cure: "If others use this machine, set BECKON_HOME to a folder on another file system and install again.",
  };
}

function foreign(path: string, owner: number, me: number): RootProblem {
  const cure =
    me === 0
      ? "Run this as that user. Where root works with another user's HOME, as in some containers, set BECKON_HOME to a folder of root's own."
      : `Set BECKON_HOME to a folder of yours, or have it given to you: sudo chown -R ${me} '${path}'`;
  return { message: `${path} belongs to another user (${owner})`, cure };
}

/** The folders that hold what hook and worker write. */
function foldersOf(paths: RootPaths): string[] {
  return [...foldersOfSpool(paths), paths.journal, paths.state];
}

/** The target of a link that leads nowhere. */
function danglingTarget(path: string): string | undefined {
  try {
    const isDangling = lstatSync(path).isSymbolicLink() && statSync(path, { throwIfNoEntry: false }) === undefined;
    return isDangling ? readlinkSync(path) : undefined;
  } catch {
    return undefined; // missing, or behind a closed folder
  }
}

/** A path, or the nearest folder above it that exists. One behind a closed folder counts as missing. */
function nearestExisting(path: string): { readonly path: string; readonly stats: Stats } {
  try {
    return { path, stats: statSync(path) };
  } catch {
    return nearestExisting(dirname(path));
  }
}

/** Whether other users may write to a path, or do what `mode` says. */
function isOpen(path: string, mode = 0o022): boolean {
  return ((statIfAny(path, statSync)?.mode ?? 0) & mode) !== 0;
}

/** Undefined also for a path below a file, or in a folder that is closed to this user. */
function statIfAny(path: string, read: typeof statSync | typeof lstatSync): Stats | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

/** Whether the file system of a folder keeps modes: a new private file is private there. */
function keepsModes(folder: string): boolean {
  const probe = join(folder, `.mode-${process.pid}-${Math.random().toString(36).slice(2)}`);
  try {
    closeSync(openSync(probe, "wx", 0o600));
    return (statSync(probe).mode & 0o077) === 0;
  } catch {
    return true; // nothing can be created there
  } finally {
    rmSync(probe, { force: true });
  }
}
