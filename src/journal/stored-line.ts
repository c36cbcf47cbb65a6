import { join } from "node:path";
import { journalFiles } from "./journal-files.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";
import { readBackwards } from "./read-backwards.ts";

/** Text of the journal as stored: JSON lines with one character per byte. */
export type StoredText = string;

/** Names of the text fields that can be read without parsing a line. */
export type StoredField = "at" | "id" | "event" | "agent" | "kind" | "sessionId" | "project" | "notifier" | "status";

/** Bounds for reading the journal backwards. */
export interface PieceBounds {
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
 * Reads a text field of a stored line, still escaped; undefined if the line lacks the field. Text inside another field
 * is never mistaken for the field, because JSON escapes quotes in texts.
 */
export function readStoredField(line: StoredText, field: StoredField): StoredText | undefined {
  const key = `"${field}":"`;
  const at = line.indexOf(key);
  if (at < 0) return undefined;
  const start = at + key.length;
  for (let end = line.indexOf('"', start); end >= 0; end = line.indexOf('"', end + 1)) {
    if (!isEscaped(line, end)) return line.slice(start, end);
  }
  return undefined;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

/** Returns a text in the form in which the journal stores it, without quotes. */
export function toStored(text: string): StoredText {
  return Buffer.from(JSON.stringify(text).slice(1, -1), "utf8").toString("latin1");
}

/** Parses stored lines, like `parseJournal`. */
export function parseStored(text: StoredText): JournalLine[] {
  return parseJournal(Buffer.from(text, "latin1").toString("utf8"));
}
