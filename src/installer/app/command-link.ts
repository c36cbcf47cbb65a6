import { existsSync, lstatSync } from "node:fs";
import { access, constants, mkdir, readlink, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errnoOf } from "../../core/errors.ts";
import type { Paths } from "../../files/paths.ts";
import { searchFolders, which } from "../../io/which.ts";
import type { InstallerContext } from "../context.ts";

type LinkContext = Pick<InstallerContext, "paths" | "environment">;

/** The command line of the installed toolkit, which a link named `beckon` leads to. */
export function commandFile({ app }: Pick<Paths, "app">): string {
  return join(app, "dist", "cli.js");
}

/** Whether `beckon` runs some command line of that name from PATH. */
export function isOnPath({ environment: { env } }: Pick<LinkContext, "environment">): boolean {
  return which("beckon", env) !== undefined;
}

/**
 * Where a link named `beckon` can be made: the first folder of PATH below the home folder that may be written to, and
 * where nothing has that name. Undefined: there is none, or this is Windows, where links are not for everybody.
 */
export async function folderForLink({ environment }: LinkContext): Promise<string | undefined> {
  const { home, env, platform } = environment;
  if (platform === "win32") return undefined;
  for (const folder of searchFolders(env).filter((one) => one.startsWith(`${home}/`))) {
    if (lstatSync(join(folder, "beckon"), { throwIfNoEntry: false })) continue;
    const isWritable = await access(existsSync(folder) ? folder : dirname(folder), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) return folder;
  }
  return undefined;
}

/** Links the command line into a folder, which is made where it is missing. Returns the link's path. */
export async function linkCommand(folder: string, paths: Pick<Paths, "app">): Promise<string> {
  await mkdir(folder, { recursive: true });
  const link = join(folder, "beckon");
  await symlink(commandFile(paths), link);
  return link;
}

/** Removes links to the command line from the folders of PATH. Returns their paths. */
export async function unlinkCommand({ paths, environment: { env } }: LinkContext): Promise<string[]> {
  const removed: string[] = [];
  for (const link of new Set(searchFolders(env).map((folder) => join(folder, "beckon")))) {
    const target = await readlink(link).catch(() => undefined); // missing, or no link
    if (target === undefined || resolve(dirname(link), target) !== commandFile(paths)) continue;
    try {
      await rm(link);
      removed.push(link);
    } catch (error) {
      if (!["EACCES", "EPERM", "EROFS"].includes(errnoOf(error) ?? "")) throw error;
    }
  }
  return removed;
}
