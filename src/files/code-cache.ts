import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire, wrap } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { quietly } from "../core/quietly.ts";
import { replaceFile } from "./atomic-file.ts";

const digestBytes = 32;

/**
 * Runs a CommonJS program with V8's code cache, for Nodes without a compile cache. The cache counts only if its folder
 * is private, and only for the same bytes of code, Node version and architecture. V8 trusts the bytes of a cache, so a
 * digest precedes them. https://nodejs.org/docs/latest-v20.x/api/vm.html#scriptcreatecacheddata
 * @param file path of the program, all ASCII; `import()` is not possible in it
 * @param folder folder for the cache; created if its parent exists
 * @returns the program's exports, and a function that stores the code compiled so far, once, if the cache was of no use
 */
export function runWithCodeCache(
  file: string,
  folder: string,
): { readonly exports: unknown; readonly save: () => void } {
  const code = readFileSync(file);
  const target = join(folder, `${process.version}-${process.arch}.bin`);
  const digest = (data: Uint8Array): Buffer => createHash("sha256").update(target).update(code).update(data).digest();
  const read = () => (isPrivate(folder) && lstatSync(target).isFile() ? readFileSync(target) : undefined);
  const stored = quietly(read) ?? Buffer.alloc(0);
  const cachedData = stored.subarray(digestBytes);
  const isIntact = digest(cachedData).equals(stored.subarray(0, digestBytes));
  const options = { filename: file, ...(isIntact && { cachedData }) };
  const script = new Script(wrap(code.toString("latin1")), options);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  let isStored = isIntact && !script.cachedDataRejected;
  const save = (): void => {
    if (isStored) return;
    isStored = true;
    if (!isOwn(dirname(folder))) return;
    if (!isPrivate(folder)) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
    }
    const compiled = script.createCachedData();
    replaceFile(target, Buffer.concat([digest(compiled), compiled]));
  };
  return { exports: module.exports, save: () => void quietly(save) };
}

/** True for a folder of this user. Root in another user's home (sudo) would leave files there that the user cannot read. */
export function isOwn(folder: string): boolean {
  return process.getuid === undefined || lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid();
}

/** True for a folder, not a link, that only this user can enter. Windows keeps other users out by access lists. */
function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && isOwn(folder) && (process.getuid === undefined || (stats.mode & 0o077) === 0);
}
