import { randomUUID } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { listSpoolFolders, type Paths } from "../files/paths.ts";
import type { RootProblem } from "../files/root-access.ts";

/** Number of bytes to write as a test: as many as a typical record has. */
const sampleBytes = 16 * 1024;

/**
 * Explains why hooks cannot store events, or the worker its results; undefined if they can. Writes a test file into
 * each folder that exists, and removes the file again.
 */
export function findStoringProblem(paths: Paths): RootProblem | undefined {
  const [spool = paths.spool, ...stages] = listSpoolFolders(paths);
  for (const folder of [...stages, spool, paths.journal, paths.state]) {
    const code = tryWrite(folder);
    if (code !== undefined && !["ENOENT", "ENOTDIR"].includes(code)) return describeProblem(folder, code, paths);
  }
  return undefined;
}

/** Tries to write a file into a folder. Returns the system's error code; undefined on success. */
function tryWrite(folder: string): string | undefined {
  // A worker must not take this file for an event.
  const file = join(folder, `.try-${randomUUID()}`);
  try {
    const descriptor = openSync(file, "wx", 0o600);
    try {
      writeSync(descriptor, Buffer.alloc(sampleBytes));
    } finally {
      closeSync(descriptor);
      unlinkSync(file); // `rmSync` gives another code in append-only folders
    }
    return undefined;
  } catch (error) {
    return readErrno(error) ?? String(error);
  }
}

function describeProblem(folder: string, code: string, { root }: Pick<Paths, "root">): RootProblem {
  const message = `events cannot be stored in ${folder}: ${reasons[code] ?? "it cannot be written to"} (${code})`;
  const elsewhere = "set BECKON_HOME to a folder elsewhere and run `beckon install`";
  const cures: Readonly<Record<string, string>> = {
    EROFS: `Mount the file system of ${root} writable, or ${elsewhere}.`,
    EACCES: `chmod 700 '${folder}'`,
    EPERM: `If it was made immutable: sudo chattr -R -i -a '${root}'. Or ${elsewhere}.`,
    ENOSPC: "Make room on that disk.",
    EDQUOT: "Remove some of your files from that disk, or ask for a larger quota.",
  };
  return { message, cure: cures[code] ?? `Check the disk of ${root}, or ${elsewhere}.` };
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: "its file system is read-only",
  EACCES: "you may not write there",
  EPERM: "the system does not allow it",
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
};
