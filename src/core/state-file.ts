import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod";
import { readQuietly } from "./read-quietly.ts";

/**
 * What was kept in a file; `empty` where there is no such file yet, or one that does not fit the schema.
 * @param schema called only where there is a file
 */
export function readStateFile<T>(file: string, schema: () => z.ZodType<T>, empty: T): T {
  const text = readQuietly(file);
  if (text === undefined) return empty;
  try {
    return schema().parse(JSON.parse(text));
  } catch {
    return empty; // torn, or written by another version: it starts anew
  }
}

/** Keeps a value between runs, as JSON. Returns false where it cannot be written; see `replaceFile`. */
export function writeStateFile(file: string, value: unknown): boolean {
  return replaceFile(file, JSON.stringify(value));
}

/**
 * Replaces a private file atomically. A link in its place, or in that of the temporary one, is replaced, not followed.
 * @returns false where it cannot be written, as on a full disk: state must not keep a message from being delivered
 */
export function replaceFile(file: string, text: string): boolean {
  const temporary = `${file}.${process.pid}.new`;
  try {
    writeNew(temporary, text);
    renameSync(temporary, file);
    return true;
  } catch {
    discard(temporary);
    return false;
  }
}

/** Creates a file; where its folder is missing, that too, and in the place of what a process of this number has left. */
function writeNew(file: string, text: string): void {
  const options = { flag: "wx", mode: 0o600 };
  try {
    writeFileSync(file, text, options);
  } catch {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(file, { force: true });
    writeFileSync(file, text, options);
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // a folder, or another user's
  }
}

/** A hash that tells a notifier's settings, references unresolved, from others; it holds no setting itself. */
export function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("base64url");
}
