/**
 * `dist/worker.cjs`: runs the worker's code with what V8 compiled of it when it ran before. Where that is missing, or
 * another Node's, it is compiled as always, and kept for the next time.
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import type { work } from "./worker.ts";

type Main = (require: NodeJS.Require, folder: string, moduleUrl: string) => { readonly work: typeof work };

/** After its first event a worker has compiled what the next one starts with; later V8 drops what has not run lately. */
const keepAfterMs = 1_000;
const hashBytes = 32;

// An event makes little that lasts: V8's first megabyte of room for what is new is enough, and would grow to sixteen.
// Set before anything is compiled: what was kept is of the same flags only.
setFlagsFromString("--semi-space-growth-factor=1");

const folder = join(__dirname, "chunks", "worker");
const [code, compiled] = [join(folder, "main.cjs"), join(folder, "main.compiled")];
const cachedData = readCompiled();
const script = new Script(readFileSync(code, "latin1"), { filename: code, ...(cachedData && { cachedData }) });
const main: Main = script.runInThisContext();
let isKept = script.cachedDataRejected === false;
setTimeout(keepCompiled, keepAfterMs).unref();
void main(require, folder, pathToFileURL(code).href)
  .work()
  .then((hasWorked) => {
    if (hasWorked) keepCompiled();
    process.exit(0); // a notifier whose time was up may still keep the event loop alive
  });

/** What was kept, if it is whole: V8 checks which version and code it is of, but runs what a dead disk made of it. */
function readCompiled(): Buffer | undefined {
  try {
    const bytes = readFileSync(compiled);
    const data = bytes.subarray(hashBytes);
    return hashOf(data).equals(bytes.subarray(0, hashBytes)) ? data : undefined;
  } catch {
    return undefined; // none yet
  }
}

function keepCompiled(): void {
  if (isKept) return;
  isKept = true;
  const data = script.createCachedData();
  const temporary = `${compiled}.${process.pid}.new`;
  try {
    writeFileSync(temporary, Buffer.concat([hashOf(data), data]), { flag: "wx", mode: 0o600 });
    renameSync(temporary, compiled);
  } catch {
    discard(temporary); // a full disk, or beckon was removed: the next worker compiles it
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // nor may this end a worker
  }
}

function hashOf(data: Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}
