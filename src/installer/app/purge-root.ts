import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { readErrno } from "../../core/errors.ts";
import type { Paths } from "../../files/paths.ts";
import { isCopy } from "./set-up-app.ts";

/** Names of the files and folders that beckon keeps in its root. */
const beckonNames = [
  "app",
  "hook",
  "config.jsonc",
  "config.schema.json",
  "secrets",
  "spool",
  "journal",
  "state",
  "relay",
  "asks",
];
/** Suffix of a temporary file that an installer left behind. */
const tempFileSuffix = /\.[0-9a-f]{16}\.tmp$/;

/**
 * Removes beckon's files from its root, and then the root if it is empty. Removes nothing from a folder that is not
 * beckon's root. Returns the names of the files that stay; undefined if there is no root.
 */
export async function purgeRoot({ root }: Pick<Paths, "root">): Promise<string[] | undefined> {
  const names = await readdir(root).catch((error: unknown) => {
    if (readErrno(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!names) return undefined;
  const isOurs = (name: string) => beckonNames.includes(name.replace(tempFileSuffix, "")) || isCopy(name);
  if (names.length > 0 && !(await isRoot(root))) return names;
  // A worker may be writing its last lines there.
  const options = { recursive: true, force: true, maxRetries: 5 };
  for (const name of names.filter(isOurs)) await rm(join(root, name), options);
  const left = names.filter((name) => !isOurs(name));
  if (left.length === 0) await rmdir(root);
  return left;
}

/**
 * Checks if a folder is beckon's root by the content of its app or launcher, because other folders may have a `state`
 * and a `hook` too.
 */
async function isRoot(root: string): Promise<boolean> {
  const read = (path: string) => readFile(path, "utf8").catch(() => ""); // missing, or not a file
  if (/"name": "beckon"/.test(await read(join(root, "app", "package.json")))) return true;
  return (await read(join(root, "hook"))).includes("beckon");
}
