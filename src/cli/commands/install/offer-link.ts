import { commandFile, folderForLink, isOnPath, linkCommand } from "../../../installer/app/command-link.ts";
import { say } from "../../say.ts";
import { shortPath } from "../../short-path.ts";
import type { InstallContext } from "./context.ts";
import type { InstallOptions } from "./options.ts";

/**
 * Where there is no `beckon` on PATH, offers to link it into one of the user's own folders there; else prints the form
 * in which the command runs. Returns that form: `beckon`, or the program's path.
 */
export async function offerLink({ yes }: Pick<InstallOptions, "yes">, context: InstallContext): Promise<string> {
  const { environment, paths, isInteractive, ask } = context;
  if (isOnPath(context)) return "beckon";
  const folder = await folderForLink(context);
  const question = `There is no \`beckon\` command yet. Link it into ${folder && shortPath(folder, environment)}?`;
  if (folder !== undefined && isInteractive && !yes && (await ask(question, true))) {
    say(`Linked ${shortPath(await linkCommand(folder, paths), environment)}`, context);
    return "beckon";
  }
  const file = shortPath(commandFile(paths), environment);
  say(`\nThere is no \`beckon\` command on your PATH. Where this says \`beckon …\`, run: ${file} …`, context);
  return file;
}
