import { existsSync } from "node:fs";
import { CommandError } from "../core/errors.ts";
import type { Paths } from "../files/paths.ts";
import { misplacedFolder, untrustedRoot } from "../files/root-access.ts";
import { findStoringProblem } from "../spool/spool-state.ts";

/**
 * Requires a beckon folder that is safe to write to. Fails if it belongs to another user or is open to others, or if a
 * file is in a folder's place. For commands that write.
 */
export function requireOwnRoot({ paths }: { readonly paths: Paths }): void {
  const problem = untrustedRoot(paths) ?? misplacedFolder(paths);
  if (problem) throw new CommandError(`${problem.message}, so beckon does not write there`, problem.cure);
}

/** Requires a safe beckon folder with an installed worker. @throws {CommandError} */
export function requireInstalled({ paths }: { readonly paths: Paths }): void {
  requireOwnRoot({ paths });
  if (existsSync(paths.worker)) return;
  throw new CommandError("beckon is not installed on this machine", "Run `beckon install` here first.");
}

/** Requires a writable spool, for commands that move events. A spool may be mounted read-only. */
export function requireStoring({ paths }: { readonly paths: Paths }): void {
  const problem = findStoringProblem(paths);
  if (problem) throw new CommandError(problem.message, problem.cure);
}
