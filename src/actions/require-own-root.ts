import { existsSync } from "node:fs";
import { CommandError } from "../core/errors.ts";
import type { Paths } from "../files/paths.ts";
import { misplacedFolder, untrustedRoot } from "../files/root-access.ts";
import { findStoringProblem } from "../spool/storing-problem.ts";

/**
 * Rejects a beckon folder that belongs to another user, is open to others, or has a file in a folder's place. For
 * commands that write into it.
 * @throws {CommandError}
 */
export function requireOwnRoot({ paths }: { readonly paths: Paths }): void {
  const problem = untrustedRoot(paths) ?? misplacedFolder(paths);
  if (problem) throw new CommandError(`${problem.message}, so beckon does not write there`, problem.cure);
}

/** For commands that need beckon's own folder: refuses also one without a worker. @throws {CommandError} */
export function requireInstalled({ paths }: { readonly paths: Paths }): void {
  requireOwnRoot({ paths });
  if (existsSync(paths.worker)) return;
  throw new CommandError("beckon is not installed on this machine", "Run `beckon install` here first.");
}

/**
 * For commands that move events: refuses a spool in which nothing can be written, such as one that is mounted
 * read-only.
 * @throws {CommandError}
 */
export function requireStoring({ paths }: { readonly paths: Paths }): void {
  const problem = findStoringProblem(paths);
  if (problem) throw new CommandError(problem.message, problem.cure);
}
