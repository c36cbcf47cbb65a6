import { accessSync, constants, type Dirent, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { succeeds } from "../core/quietly.ts";
import { openQuietly, withFile } from "../files/read-file.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";

/** Lists the journal's files, one per month (`2026-11.jsonl`), oldest first; empty if the folder cannot be read. */
export function journalFiles(folder: string): readonly string[] {
  const files = listEntries(folder).filter((entry) => entry.isFile() && /^\d{4}-\d{2}\.jsonl$/.test(entry.name));
  return files.map(({ name }) => name).sort();
}

const keptMonths = 12;

/** Removes all but the newest twelve monthly files. */
export function removeOldFiles(folder: string): void {
  for (const file of journalFiles(folder).slice(0, -keptMonths)) rmSync(join(folder, file), { force: true });
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(readErrno(error) ?? "")) return [];
    throw error;
  }
}

/** Lists the journal files that cannot be read, and those that were renamed because they could not be written. */
export function lostJournalFiles(folder: string): readonly string[] {
  const names = listEntries(folder).map(({ name }) => name);
  const setAside = names.filter((name) => /^\d{4}-\d{2}\.jsonl\.aside-\d+$/.test(name)).sort();
  const isReadable = (file: string) => succeeds(() => accessSync(join(folder, file), constants.R_OK));
  return [...journalFiles(folder).filter((file) => !isReadable(file)), ...setAside];
}

/** Text of the journal as stored: JSON lines with one character per byte. */
export type StoredText = string;

/** Names of the text fields that can be read without parsing a line. */
export type StoredField = "at" | "id" | "event" | "agent" | "kind" | "sessionId" | "project" | "notifier" | "status";

/** Bounds for reading the journal backwards. */
interface PieceBounds {
  /** Number of monthly files, newest first; default: all. */
  readonly months?: number;
  /** Number of bytes after which no further piece is read; default: no bound. */
  readonly maxBytes?: number;
}

/** Reads the journal in pieces of complete lines. The newest piece comes first, with its lines in order. */
export function* readPieces(
  folder: string,
  { months = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: PieceBounds = {},
): Generator<StoredText> {
  let readBytes = 0;
  for (const file of journalFiles(folder).slice(-months).reverse()) {
    for (const piece of readBackwards(join(folder, file))) {
      yield piece;
      readBytes += piece.length;
      if (readBytes >= maxBytes) return;
    }
  }
}

/** Reads the journal's lines, newest first, without parsing them. */
export function* readStoredLines(folder: string, bounds: PieceBounds): Generator<StoredText> {
  for (const piece of readPieces(folder, bounds)) {
    for (const line of piece.split("\n").reverse()) if (line !== "") yield line;
  }
}

/**
 * Builds the pattern of a text field in stored lines; its group is the text, still escaped. Text inside another field is
 * never mistaken for the field, because JSON escapes quotes in texts.
 */
export const textPattern = (field: StoredField): string => `"${field}":"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"`;

/** Reads a text field of a stored line, still escaped; undefined if the line lacks the field. */
export function readStoredField(line: StoredText, field: StoredField): StoredText | undefined {
  return new RegExp(textPattern(field)).exec(line)?.[1];
}

/** Returns a text in the form in which the journal stores it, without quotes. */
export function toStored(text: string): StoredText {
  return Buffer.from(JSON.stringify(text).slice(1, -1), "utf8").toString("latin1");
}

/** Parses stored lines, like `parseJournal`. */
export function parseStored(text: StoredText): JournalLine[] {
  return parseJournal(Buffer.from(text, "latin1").toString("utf8"));
}

/** Number of bytes per read. V8 keeps strings above 128 KiB in a separate space, in which they pile up. */
const chunkBytes = 64 * 1024;
/** Maximum length of a line that is found, in bytes. */
const maxLineBytes = 512 * 1024;
const newline = 0x0a;

/**
 * Reads a file's complete lines in pieces of about 64 KiB. The last piece comes first, with its lines in order. A piece
 * has one character per byte, which is much faster than decoding; `parseStored` decodes it. Lines longer than 512 KiB
 * are cut or dropped. Yields nothing if the file is missing or not a regular file.
 */
function* readBackwards(file: string): Generator<string> {
  const open = openQuietly(file);
  if (!open) return;
  try {
    let length = chunkBytes;
    let end = open.sizeBytes;
    while (end > 0) {
      const from = Math.max(0, end - length);
      const bytes = open.read(from, end - from);
      const start = from === 0 ? 0 : bytes.indexOf(newline) + 1;
      const hasLine = start > 0 ? start < bytes.length : from === 0;
      if (hasLine) yield bytes.toString("latin1", start);
      else if (length < maxLineBytes) {
        length *= 2;
        continue;
      }
      end = hasLine ? from + start : from;
      if (hasLine) length = chunkBytes;
    }
  } finally {
    open.close();
  }
}

/** True if a file ends in the middle of a line, as after a write to a full disk. */
export function endsTorn(file: string): boolean {
  return withFile(file, ({ sizeBytes, read }) => sizeBytes > 0 && read(sizeBytes - 1, 1)[0] !== newline) ?? false;
}
