import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(userInfo().homedir, ".cache"), "beckon-tests");

/** Makes a new folder outside of the folders for temporary files, in which no request can be answered elsewhere. */
export function makeLastingFolder(name: string): string {
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(realpathSync(cache), `${name}-`));
}
