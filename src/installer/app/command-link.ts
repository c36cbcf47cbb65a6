import { existsSync, lstatSync } from "node:fs";
import { access, constants, mkdir, readlink, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readErrno } from "../../core/errors.ts";
import type { Paths } from "../../files/paths.ts";
import { searchFolders, which } from "../../io/which.ts";
import type { InstallerContext } from "../context.ts";

type LinkContext = Pick<InstallerContext, "paths" | "environment">;

/** Returns the program of the installed app, the target of a `beckon` link. */
export function commandFile({ app }: Pick<Paths, "app">): string {
  return join(app, "dist", "cli.js");
}

/** Checks for a `beckon` command on PATH. */
export function isOnPath({ environment: { env } }: Pick<LinkContext, "environment">): boolean {
  return which("beckon", env) !== undefined;
}

/**
 * Finds the folder for a `beckon` link: the first writable folder on PATH below the home folder without that name.
 * Undefined without such a folder, or on Windows, where links need privileges.
 */
export async function folderForLink({ environment }: LinkContext): Promise<string | undefined> {
  const { home, env, platform } = environment;
  if (platform === "win32") return undefined;
  for (const folder of searchFolders(env).filter((entry) => entry.startsWith(`${home}/`))) {
    if (lstatSync(join(folder, "beckon"), { throwIfNoEntry: false })) continue;
    const isWritable = await access(existsSync(folder) ? folder : dirname(folder), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) return folder;
  }
  return undefined;
}

/** Links the program into a folder and creates the folder if necessary. Returns the link's path. */
export async function linkCommand(folder: string, paths: Pick<Paths, "app">): Promise<string> {
  await mkdir(folder, { recursive: true });
  const link = join(folder, "beckon");
  await symlink(commandFile(paths), link);
  return link;
}

/** Removes links to the program from the folders on PATH. Returns their paths. */
export async function unlinkCommand({ paths, environment: { env } }: LinkContext): Promise<string[]> {
  const removed: string[] = [];
  for (const link of new Set(searchFolders(env).map((folder) => join(folder, "beckon")))) {
    const target = await readlink(link).catch(() => undefined); // missing or not a link
    if (target === undefined || resolve(dirname(link), target) !== commandFile(paths)) continue;
    try {
      await rm(link);
      removed.push(link);
    } catch (error) {
      if (!["EACCES", "EPERM", "EROFS"].includes(readErrno(error) ?? "")) throw error;
    }
  }
  return removed;
}
