import { accessSync, constants, type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { succeeds } from "../core/quietly.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";
import { readBackwards } from "./read-backwards.ts";

/** Maximum number of bytes that `readJournal` reads: 32 MiB, more than a hundred thousand lines. */
const maxReadBytes = 32 * 1024 * 1024;

/** Lists the journal's files, one a month (`2026-11.jsonl`), oldest first; empty if the folder cannot be read. */
export function journalFiles(folder: string): readonly string[] {
  const files = listEntries(folder).filter((entry) => entry.isFile() && /^\d{4}-\d{2}\.jsonl$/.test(entry.name));
  return files.map(({ name }) => name).sort();
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(readErrno(error) ?? "")) return [];
    throw error;
  }
}

/** Lists journal files that cannot be read, and those that were renamed because they could not be written. */
export function lostJournalFiles(folder: string): readonly string[] {
  const names = listEntries(folder).map(({ name }) => name);
  const setAside = names.filter((name) => /^\d{4}-\d{2}\.jsonl\.aside-\d+$/.test(name)).sort();
  const isReadable = (file: string) => succeeds(() => accessSync(join(folder, file), constants.R_OK));
  return [...journalFiles(folder).filter((file) => !isReadable(file)), ...setAside];
}

/**
 * Reads the lines of the newest `months` files, oldest first, at most the newest 32 MiB.
 * @param isWanted decides by a line's text if the line is parsed
 */
export function readJournal(folder: string, months: number, isWanted?: (line: string) => boolean): JournalLine[] {
  const found: JournalLine[][] = [];
  let leftBytes = maxReadBytes;
  for (const text of readTextsBackwards(folder, months)) {
    found.push(parseJournal(isWanted ? text.split("\n").filter(isWanted).join("\n") : text));
    leftBytes -= text.length;
    if (leftBytes <= 0) break;
  }
  return found.reverse().flat();
}

/** Maximum number of lines read of one event: its newest lines, in addition to its first. */
const maxEventLines = 500;
const idInLine = /"id":"([^"]*)"/;
const firstStatus = /"status":"(?:accepted|rejected)"/;

/** Parses a piece of the journal. Of each event in `ids`, keeps only the line that accepted or rejected the event. */
function parseWithout(text: string, ids: ReadonlySet<string>): JournalLine[] {
  if (ids.size === 0) return parseJournal(text);
  const isIncluded = (line: string): boolean => firstStatus.test(line) || !ids.has(idInLine.exec(line)?.[1] ?? "");
  return parseJournal(text.split("\n").filter(isIncluded).join("\n"));
}

/**
 * Reads the newest `limit` events that have a wanted line, with all lines of each, at most 500; oldest first. Reads up
 * to 32 MiB further back to find the beginnings of these events.
 */
export function newestEvents(folder: string, limit: number, wanted: (line: JournalLine) => boolean): JournalLine[] {
  const ids = new Set<string>();
  let leftBytes = maxReadBytes;
  for (const text of readTextsBackwards(folder)) {
    leftBytes += text.length;
    for (const line of parseWithout(text, ids).reverse()) if (ids.size < limit && wanted(line)) ids.add(line.id);
    if (ids.size >= limit) break;
  }
  const found: JournalLine[][] = [];
  const missingStart = new Set(ids);
  const counts = new Map<string, number>();
  const full = new Set<string>();
  for (const text of ids.size === 0 ? [] : readTextsBackwards(folder)) {
    const isKept = ({ id, status }: JournalLine): boolean => {
      const isFirst = status === "accepted" || status === "rejected";
      if (isFirst) missingStart.delete(id);
      counts.set(id, (counts.get(id) ?? 0) + 1);
      if ((counts.get(id) ?? 0) > maxEventLines) full.add(id);
      return isFirst || !full.has(id);
    };
    const lines = parseWithout(text, full).filter(({ id }) => ids.has(id));
    found.push(lines.reverse().filter(isKept).reverse());
    leftBytes -= text.length;
    if (missingStart.size === 0 || leftBytes <= 0) break;
  }
  return found.reverse().flat();
}

/** Reads the journal in pieces, newest first; see `readBackwards`. */
function* readTextsBackwards(folder: string, months: number = Number.POSITIVE_INFINITY): Generator<string> {
  for (const file of journalFiles(folder).slice(-months).reverse()) yield* readBackwards(join(folder, file));
}
