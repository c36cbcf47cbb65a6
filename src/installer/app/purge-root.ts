import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { isCopy } from "./switch-app.ts";

const ownNames = ["app", "hook", "config.jsonc", "config.schema.json", "spool", "journal", "state"];
/** What an installer that was killed left of a file. */
const halfWritten = /\.[0-9a-f]{16}\.tmp$/;

/**
 * Removes what is beckon's from its root, and the root itself if nothing else is in it.
 * Returns the names that were left because they are not ours; undefined: there is no such folder.
 */
export async function purgeRoot({ root }: Pick<Paths, "root">): Promise<string[] | undefined> {
  const names = await readdir(root).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!names) return undefined;
  const isOurs = (name: string) => ownNames.includes(name.replace(halfWritten, "")) || isCopy(name);
  if (names.length > 0 && !(await isRoot(root))) return names;
  for (const name of names.filter(isOurs)) await rm(join(root, name), { recursive: true, force: true });
  const left = names.filter((name) => !isOurs(name));
  if (left.length === 0) await rmdir(root);
  return left;
}

/** Somebody else's folder may have a `state` and a `hook` in it, too; ours has our toolkit or our launcher. */
async function isRoot(root: string): Promise<boolean> {
  const read = (path: string) => readFile(path, "utf8").catch(() => ""); // missing or no file: no sign of ours
  if (/"name": "beckon"/.test(await read(join(root, "app", "package.json")))) return true;
  return (await read(join(root, "hook"))).includes("beckon");
}
