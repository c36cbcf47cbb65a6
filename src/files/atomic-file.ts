import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod";
import { readErrno } from "../core/errors.ts";
import { quietly, succeeds } from "../core/quietly.ts";
import { readQuietly } from "./read-file.ts";

/** Options for an atomic write. */
interface WriteOptions {
  /** Permissions, 0600 by default. */
  readonly mode?: number;
  /** If true, the write returns only after the file is on disk, where it survives a power cut. */
  readonly isFlushed?: boolean;
}

/**
 * Replaces a file in an existing folder atomically: readers see either the complete old or the complete new file. If
 * the path is a link, replaces the link itself.
 * @throws the system's error, with the old file unchanged
 */
export function replaceFile(file: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  const temporary = writeTemporary(file, content, options);
  try {
    fs.renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  if (options.isFlushed) flushFolder(dirname(file));
}

/**
 * Creates a file atomically.
 * @returns false if the file already exists
 * @throws the system's error
 */
export function createFile(file: string, content: string | Uint8Array): boolean {
  const temporary = writeTemporary(file, content, {});
  try {
    return linkFile(temporary, file);
  } finally {
    discard(temporary);
  }
}

/** Writes a private file, flushed to disk. Creates missing folders with mode 0700. @throws the system's error */
export function writePrivateFile(file: string, content: string | Uint8Array, mode = 0o600): void {
  makePrivateFolder(dirname(file));
  replaceFile(file, content, { mode, isFlushed: true });
}

/**
 * Replaces a private file, and creates its folder if missing.
 * @returns false if it cannot be written, as on a full disk. It does not throw, because a delivery must go on if state
 * cannot be saved
 */
export function replaceQuietly(file: string, text: string): boolean {
  return succeeds(() => {
    if (!fs.existsSync(dirname(file))) makePrivateFolder(dirname(file));
    replaceFile(file, text);
  });
}

/** Writes a temporary file next to another and returns its path. */
function writeTemporary(file: string, content: string | Uint8Array, options: WriteOptions): string {
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    fillFile(fs.openSync(temporary, "wx", options.mode ?? 0o600), content, options);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  return temporary;
}

/**
 * Writes the content of a file that was opened empty, and closes the file. If a write took only a part of the bytes, as
 * on a nearly full disk, writes the rest.
 */
export function fillFile(
  descriptor: number,
  content: string | Uint8Array,
  { mode, isFlushed = false }: WriteOptions,
): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  try {
    for (let written = 0; written < bytes.length; ) {
      const count = fs.writeSync(descriptor, bytes, written);
      if (count === 0) throw new Error("the disk is full");
      written += count;
    }
    if (mode !== undefined) fs.fchmodSync(descriptor, mode); // the umask restricts the mode given to open
    if (isFlushed) fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Creates `to` as a hard link to `from`, or as a copy on a file system without links. @returns false if `to` exists */
export function linkFile(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    const code = readErrno(error) ?? "";
    if (code === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EINVAL"].includes(code)) throw error;
  }
  try {
    fs.writeFileSync(to, fs.readFileSync(from), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (readErrno(error) === "EEXIST") return false;
    throw error;
  }
}

/** Creates a folder and its missing parents with mode 0700. Returns the outermost folder that it created, if any. */
export function makePrivateFolder(path: string): string | undefined {
  return fs.mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Flushes a folder to disk, so that a rename in it survives a power cut. Not needed on Windows. */
export function flushFolder(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = fs.openSync(path, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function discard(file: string): void {
  quietly(() => fs.unlinkSync(file)); // a full disk has made none
}

/**
 * Reads a value from a JSON file. Returns `empty` if there is no file, or if the value does not fit the schema.
 * @param schema returns the schema; called only if there is a file
 */
export function readStateFile<T>(file: string, schema: () => z.ZodType<T>, empty: T): T {
  const text = readQuietly(file);
  if (text === undefined) return empty;
  try {
    return schema().parse(JSON.parse(text));
  } catch {
    return empty; // damaged, or written by another version: start with an empty state
  }
}

/** Writes a value to a file as JSON. Returns false if it cannot be written; see `replaceQuietly`. */
export function writeStateFile(file: string, value: unknown): boolean {
  return replaceQuietly(file, JSON.stringify(value));
}

/** Computes a hash of a JSON value, 43 characters of `[A-Za-z0-9_-]`, for comparing values without storing them. */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
