import { join } from "node:path";
import { type OpenFile, openQuietly } from "../files/read-file.ts";
import { journalFiles } from "./journal-files.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";
import { maxDisorderMs, maxReadBytes } from "./read-journal.ts";

/** Number of bytes per read when looking for a line's time. Almost every line is shorter. */
const probeBytes = 16 * 1024;

/**
 * Reads the journal's lines of a period, oldest first. Finds the period's start by binary search, because lines are
 * ordered by time. Reads at most the newest 32 MiB of a month.
 * @param fromMs start, Unix milliseconds
 * @param toMs end, Unix milliseconds, excluded
 * @param isWanted decides by a line's text if the line is parsed
 */
export function readBetween(
  folder: string,
  fromMs: number,
  toMs: number,
  isWanted?: (line: string) => boolean,
): JournalLine[] {
  const from = new Date(fromMs).toISOString();
  const to = new Date(toMs).toISOString();
  const files = journalFiles(folder).filter((file) => file.slice(0, 7) >= from.slice(0, 7) && file.slice(0, 7) <= to);
  return files.flatMap((file) => {
    const text = readTextBetween(join(folder, file), fromMs - maxDisorderMs, toMs + maxDisorderMs);
    const lines = parseJournal(isWanted ? text.split("\n").filter(isWanted).join("\n") : text);
    return lines.filter(({ at }) => at >= from && at < to);
  });
}

/** Reads the complete lines of a span: from the first line at or after `fromMs` to the last line before `toMs`. */
function readTextBetween(file: string, fromMs: number, toMs: number): string {
  const open = openQuietly(file);
  if (!open) return "";
  try {
    const end = findFirstAt(open, open.sizeBytes, new Date(toMs).toISOString());
    const start = Math.max(findFirstAt(open, end, new Date(fromMs).toISOString()), end - maxReadBytes);
    return open.read(start, end - start).toString("utf8");
  } finally {
    open.close();
  }
}

/** Finds the position of the first line at or after a time; the file's size if there is no such line. */
function findFirstAt(file: OpenFile, size: number, at: string): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = findLineFrom(file, middle, size);
    if (line === undefined || line.at >= at) high = middle;
    else low = line.start + 1;
  }
  return findLineFrom(file, low, size)?.start ?? size;
}

/** Finds the first line that has a time and begins at or after a position. */
function findLineFrom(file: OpenFile, position: number, size: number): { start: number; at: string } | undefined {
  for (let from = position; from < size; from += probeBytes / 2) {
    const text = `${from === 0 ? "\n" : ""}${file.read(Math.max(0, from - 1), probeBytes).toString("latin1")}`;
    const found = /\n[^\n]*?"at":"(\d{4}-[^"\n]+)"/.exec(text);
    if (found?.[1] !== undefined) return { start: from + found.index, at: found[1] };
  }
  return undefined;
}
