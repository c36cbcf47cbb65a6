import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../../core/errors.ts";
import type { Paths } from "../../files/paths.ts";
import { isCopy } from "./switch-app.ts";

/** Names of what beckon keeps in its root. */
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
];
/** The end of the name of a file that an installer did not finish writing. */
const halfWritten = /\.[0-9a-f]{16}\.tmp$/;

/**
 * Removes what is beckon's from its root, and the root itself if nothing else is in it. Returns the names that were
 * left because they are not beckon's; undefined: there is no such folder.
 */
export async function purgeRoot({ root }: Pick<Paths, "root">): Promise<string[] | undefined> {
  const names = await readdir(root).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!names) return undefined;
  const isOurs = (name: string) => beckonNames.includes(name.replace(halfWritten, "")) || isCopy(name);
  if (names.length > 0 && !(await isRoot(root))) return names;
  // A worker may be writing its last lines there.
  const options = { recursive: true, force: true, maxRetries: 5 };
  for (const name of names.filter(isOurs)) await rm(join(root, name), options);
  const left = names.filter((name) => !isOurs(name));
  if (left.length === 0) await rmdir(root);
  return left;
}

/**
 * Whether a folder is beckon's root: other folders may have a `state` and a `hook` too, but not its app or launcher.
 */
async function isRoot(root: string): Promise<boolean> {
  const read = (path: string) => readFile(path, "utf8").catch(() => ""); // missing, or not a file
  if (/"name": "beckon"/.test(await read(join(root, "app", "package.json")))) return true;
  return (await read(join(root, "hook"))).includes("beckon");
}
