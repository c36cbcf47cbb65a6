import { commandFile, folderForLink, isOnPath, linkCommand, pathLine } from "../../../installer/app/command-link.ts";
import { say } from "../../say.ts";
import { shortPath } from "../../short-path.ts";
import type { InstallContext } from "./context.ts";
import type { InstallOptions } from "./options.ts";

/**
 * Offers to link a missing `beckon` command into a folder on PATH that the user owns, or else into `~/.local/bin`. If
 * that folder is not on PATH, prints the line that puts it there. Returns the command that works now: `beckon`, or the
 * program's path. If it is the path, prints it.
 */
export async function offerLink(
  { yes }: Pick<InstallOptions, "yes">,
  context: Pick<InstallContext, "environment" | "paths" | "isInteractive" | "ask" | "print" | "terminal">,
): Promise<string> {
  const { environment, paths, isInteractive, ask } = context;
  if (isOnPath(context)) return "beckon";
  const found = await folderForLink(context);
  let isLinked = found?.isLinked === true;
  if (found && !isLinked && isInteractive && !yes) {
    const folder = shortPath(found.folder, environment);
    isLinked = await ask(`There is no \`beckon\` command yet. Link it in ${folder}?`, true);
    if (isLinked) say(`Created the link ${shortPath(await linkCommand(found.folder, paths), environment)}`, context);
  }
  if (isLinked && found?.isOnPath) return "beckon";
  const file = shortPath(commandFile(paths), environment);
  if (isLinked && found) {
    const { line, file: startup } = pathLine(found.folder, environment);
    say(`\n${shortPath(found.folder, environment)} is not on your PATH. Add this line to ${startup}:`, context);
    context.print(`  ${line}`);
    const event = startup.endsWith(".profile") ? "log in again" : "open a new terminal";
    say(`Until you ${event}, run ${file} instead of \`beckon\`.`, context);
  } else say(`\nThere is no \`beckon\` command on your PATH. Instead of \`beckon …\`, run: ${file} …`, context);
  return file;
}
