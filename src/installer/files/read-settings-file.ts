import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readErrno, SettingsError } from "../../core/errors.ts";
import { quietly } from "../../core/quietly.ts";
import { lineAndColumn, type Position } from "../../text/jsonc.ts";

/** Snapshot of a settings file. */
export interface SettingsSnapshot {
  /** Path as given. */
  readonly path: string;
  /** Real path. A link is never replaced. */
  readonly target: string;
  /** Content; undefined for a missing file. */
  readonly bytes: Buffer | undefined;
  /** Permission bits; 0600 for a missing file. */
  readonly mode: number;
  readonly groupId: number | undefined;
  /** Number of hard links. If the file has several names, replacing it separates them. */
  readonly links: number;
}

/**
 * Reads a settings file, following links. Never blocks on a FIFO or device. Unless `anyOwner` is set, refuses another
 * user's file and, for root, a new file in another user's folder.
 * @throws {SettingsError} `settings.link` for a loop or a broken link, `settings.not-a-file`, `settings.owner`,
 * `settings.size` above `maxBytes`, `settings.unreadable`
 */
export async function readSettingsFile(
  path: string,
  maxBytes: number,
  { anyOwner = false } = {},
): Promise<SettingsSnapshot> {
  // Synchronously, because status looks for a hundred files, which takes three times as long with promises.
  const target = await resolveTarget(path);
  const descriptor = openExisting(path, target);
  if (descriptor === undefined && !anyOwner) refuseForeignFolder(path, dirname(target));
  if (descriptor === undefined) return { path, target, bytes: undefined, mode: 0o600, groupId: undefined, links: 1 };
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new SettingsError("settings.not-a-file", path, "not a regular file");
    const isOthers = process.getuid !== undefined && stats.uid !== process.getuid();
    if (isOthers && !anyOwner) throw new SettingsError("settings.owner", path, "another user's file");
    if (stats.size > maxBytes)
      throw new SettingsError("settings.size", path, `larger than ${maxBytes / 1024 / 1024} MiB`);
    const bytes = readFileSync(descriptor);
    return { path, target, bytes, mode: stats.mode & 0o7777, groupId: stats.gid, links: stats.nlink };
  } finally {
    closeSync(descriptor);
  }
}

function refuseForeignFolder(path: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = quietly(() => statSync(folder).uid) ?? 0; // undefined for a new folder
  const hint = "Run this command as that user. Nothing was changed.";
  if (owner !== 0) throw new SettingsError("settings.owner", path, "in another user's folder", hint);
}

/** Resolves a path whose last parts need not exist yet. @throws {SettingsError} */
export async function resolveTarget(path: string): Promise<string> {
  try {
    // Most files of status are missing, and an error takes longer than a look.
    if (lstatSync(path, { throwIfNoEntry: false })) return realpathSync.native(path);
  } catch (error) {
    const code = readErrno(error);
    if (code === "ELOOP") throw new SettingsError("settings.link", path, "a link to itself");
    if (code === "ENOTDIR")
      throw new SettingsError("settings.not-a-file", path, "a parent in its path is not a folder");
    if (code === "ENOENT") throw new SettingsError("settings.link", path, "a broken link");
    throw new SettingsError("settings.unreadable", path, `cannot be reached (${code})`);
  }
  return join(await resolveTarget(dirname(path)), basename(path));
}

function openExisting(path: string, target: string): number | undefined {
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    return openSync(target, flags);
  } catch (error) {
    const code = readErrno(error);
    if (code === "ENOENT") return undefined;
    throw new SettingsError("settings.unreadable", path, `cannot be read (${code})`);
  }
}

/** Maximum size of a settings file, bytes. */
export const maxSettingsBytes = 5 * 1024 * 1024;

/** Complete content of a file; undefined for a missing file. */
export type Content = Buffer | undefined;

/** Compares two contents by bytes. Missing files are equal. */
export function sameContent(a: Content, b: Content): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

/** Computes a SHA-256 in hex. */
export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

const byteOrderMark = "\ufeff";

/** Decoded settings file. */
export interface SettingsText {
  /** Text without the byte-order mark. */
  readonly text: string;
  readonly hasMark: boolean;
}

/**
 * Decodes a settings file. Refuses invalid UTF-8, which would change when written back.
 * @throws {SettingsError} `settings.size`, `settings.encoding`
 */
export function decodeSettings(file: string, bytes: Uint8Array): SettingsText {
  if (bytes.length > maxSettingsBytes) throw new SettingsError("settings.size", file, "larger than 5 MiB");
  const text = decode(file, bytes);
  const hasMark = text.startsWith(byteOrderMark);
  return { text: hasMark ? text.slice(1) : text, hasMark };
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const { line, column } = positionOfWrongByte(bytes);
    const hint = "Save it as UTF-8, then try again. Nothing was changed.";
    throw new SettingsError("settings.encoding", file, `not UTF-8 at line ${line}, column ${column}`, hint);
  }
}

/** Finds the position of the first byte that is not UTF-8. There, decoding inserts a replacement character. */
function positionOfWrongByte(bytes: Uint8Array): Position {
  const replaced = Buffer.from(Buffer.from(bytes).toString("utf8"));
  const wrongAt = bytes.findIndex((byte, index) => byte !== replaced[index]);
  // `stream` ignores a character that is cut off at the end.
  const text = new TextDecoder().decode(bytes.subarray(0, wrongAt), { stream: true });
  return lineAndColumn(text, text.length);
}

/** Encodes a settings text, the reverse of `decodeSettings`. */
export function encodeSettings({ text, hasMark }: SettingsText): Buffer {
  return Buffer.from((hasMark ? byteOrderMark : "") + text, "utf8");
}

/** Checks if a file has only white space. */
export function isBlank({ text }: SettingsText): boolean {
  return /^\s*$/.test(text);
}
