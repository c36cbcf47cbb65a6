import { CommandError } from "../core/errors.ts";
import type { Paths } from "../files/paths.ts";
import { misplacedFolder, untrustedRoot } from "../files/root-access.ts";
import { storingProblem } from "../spool/storing.ts";

/**
 * For commands that write into beckon's folder: refuses one that is another user's or open to others, or in which a
 * file has the name of a folder, before anything is written.
 * @throws {CommandError}
 */
export function requireOwnRoot({ paths }: { readonly paths: Paths }): void {
  const problem = untrustedRoot(paths) ?? misplacedFolder(paths);
  if (problem) throw new CommandError(`${problem.message}, so beckon changes nothing there`, problem.cure);
}

/**
 * For commands that move events: refuses a spool in which nothing can be written, such as one that is mounted read-only.
 * @throws {CommandError}
 */
export function requireStoring({ paths }: { readonly paths: Paths }): void {
  const problem = storingProblem(paths);
  if (problem) throw new CommandError(problem.message, problem.cure);
}
