import { join } from "node:path";
import { type OpenFile, openQuietly } from "../files/read-file.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";
import { journalFiles } from "./read-journal.ts";

/** Most that is read of one month, in bytes; 32 MiB. Of more, the newest. */
const maxReadBytes = 32 * 1024 * 1024;
/** How far lines may be out of order: the clock was set back, or two processes wrote. An hour. */
const disorderMs = 3_600_000;
/** Read at once to find a line's time; more than almost every line. */
const probeBytes = 16 * 1024;

/**
 * The journal's lines of a time, oldest first. Where it begins in a month's file is found by halving the file, since
 * lines are appended as time goes by: one day of a year takes a few reads, and no index.
 * @param fromMs Unix milliseconds
 * @param toMs Unix milliseconds, not included
 * @param isWanted tells by a line's text whether to parse it
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
    const text = textBetween(join(folder, file), fromMs - disorderMs, toMs + disorderMs);
    const lines = parseJournal(isWanted ? text.split("\n").filter(isWanted).join("\n") : text);
    return lines.filter(({ at }) => at >= from && at < to);
  });
}

/** Whole lines of a file that begin with the first at or after `fromMs` and end before the first at or after `toMs`. */
function textBetween(file: string, fromMs: number, toMs: number): string {
  const open = openQuietly(file);
  if (!open) return "";
  try {
    const end = firstAt(open, open.sizeBytes, new Date(toMs).toISOString());
    const start = Math.max(firstAt(open, end, new Date(fromMs).toISOString()), end - maxReadBytes);
    return open.read(start, end - start).toString("utf8");
  } finally {
    open.close();
  }
}

/** Where the first line begins whose time is not before `at`; the file's size where there is none. */
function firstAt(file: OpenFile, size: number, at: string): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = lineFrom(file, middle, size);
    if (line === undefined || line.at >= at) high = middle;
    else low = line.start + 1;
  }
  return lineFrom(file, low, size)?.start ?? size;
}

/** The first line that begins at or after a position and says when it was written, and where it begins. */
function lineFrom(file: OpenFile, position: number, size: number): { start: number; at: string } | undefined {
  for (let from = position; from < size; from += probeBytes / 2) {
    const text = `${from === 0 ? "\n" : ""}${file.read(Math.max(0, from - 1), probeBytes).toString("latin1")}`;
    const found = /\n[^\n]*?"at":"(\d{4}-[^"\n]+)"/.exec(text);
    if (found?.[1] !== undefined) return { start: from + found.index, at: found[1] };
  }
  return undefined;
}
