import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire, wrap } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { quietly } from "../core/quietly.ts";
import { replaceFile } from "./atomic-file.ts";
import { isOwn } from "./read-file.ts";

const digestBytes = 32;

/**
 * Runs a CommonJS program with V8's code cache, which starts a worker faster than Node's compile cache does. The cache
 * counts only if its folder is private, and only for the same bytes of code, Node version and architecture. V8 trusts
 * the bytes of a cache, so a digest precedes them. https://nodejs.org/docs/latest-v20.x/api/vm.html#scriptcreatecacheddata
 * @param file path of the program, all ASCII; `import()` is not possible in it. Programs that it requires from its own
 * folder as `./worker-….cjs` have caches of their own.
 * @param folder folder for the cache; created if its parent exists
 * @returns the program's exports, and a function that stores the code compiled so far, once, if the cache was of no use
 */
export function runWithCodeCache(
  file: string,
  folder: string,
): { readonly exports: unknown; readonly save: () => void } {
  const code = readFileSync(file);
  const target = join(folder, `${basename(file, ".cjs")}-${process.version}-${process.arch}.bin`);
  const digest = (data: Uint8Array): Buffer => createHash("sha256").update(target).update(code).update(data).digest();
  const read = () => (isPrivate(folder) && lstatSync(target).isFile() ? readFileSync(target) : undefined);
  const stored = quietly(read) ?? Buffer.alloc(0);
  const cachedData = stored.subarray(digestBytes);
  const isIntact = digest(cachedData).equals(stored.subarray(0, digestBytes));
  const script = new Script(wrap(code.toString("latin1")), { filename: file, ...(isIntact && { cachedData }) });
  const module = { exports: {} };
  const requireOther = createRequire(file);
  const parts = new Map<string, ReturnType<typeof runWithCodeCache>>();
  const require = (id: string): unknown => {
    if (!/^\.\/worker-\w+\.cjs$/.test(id)) return requireOther(id);
    const part = parts.get(id) ?? runWithCodeCache(join(dirname(file), id), folder);
    parts.set(id, part);
    return part.exports;
  };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  let isStored = isIntact && !script.cachedDataRejected;
  const save = (): void => {
    for (const part of parts.values()) part.save();
    if (isStored) return;
    isStored = true;
    if (!isOwn(lstatSync(dirname(folder)))) return; // under sudo, the user could not read the file
    if (!isPrivate(folder)) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
    }
    const compiled = script.createCachedData();
    replaceFile(target, Buffer.concat([digest(compiled), compiled]));
  };
  return { exports: module.exports, save: () => void quietly(save) };
}

/** True for a folder, not a link, that only this user can enter. Windows keeps other users out by access lists. */
function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && isOwn(stats) && (process.getuid === undefined || (stats.mode & 0o077) === 0);
}
