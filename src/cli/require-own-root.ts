import { misplacedFolder, untrustedRoot } from "../core/root-access.ts";
import type { CliContext } from "./context.ts";
import { CommandError } from "./errors.ts";

/**
 * For commands that write into beckon's folder: refuses one that is another user's or open to others, or in which a
 * file has the name of a folder, before anything is written.
 * @throws {CommandError}
 */
export function requireOwnRoot({ paths }: Pick<CliContext, "paths">): void {
  const problem = untrustedRoot(paths) ?? misplacedFolder(paths);
  if (problem) throw new CommandError(`${problem.message}, so beckon changes nothing there`, problem.cure);
}
