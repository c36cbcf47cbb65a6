import { join } from "node:path";
import { type OpenFile, withFile } from "../files/read-file.ts";
import {
  journalFiles,
  parseStored,
  readPieces,
  readStoredField,
  type StoredField,
  type StoredText,
  textPattern,
  toStored,
} from "./journal-files.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";

/** Maximum number of bytes that most queries read of the journal: 32 MiB, some hundred thousand lines. */
export const maxReadBytes = 32 * 1024 * 1024;

/**
 * Reads the journal's lines from the newest `months` files, at most 32 MiB, oldest line first.
 * @param text part of the wanted lines' JSON; lines without it are skipped
 */
export function readJournal(folder: string, months: number, text = ""): JournalLine[] {
  const wanted = Buffer.from(text, "utf8").toString("latin1");
  const pieces = readPieces(folder, { months, maxBytes: maxReadBytes });
  const found = Array.from(pieces, (piece) => parseWanted(piece, (line) => line.includes(wanted)));
  return found.reverse().flat();
}

/** Parses the lines of a piece for which `isWanted` returns true. Calls `isWanted` for the newest line first. */
function parseWanted(piece: StoredText, isWanted: (line: StoredText) => boolean): JournalLine[] {
  const lines = piece.split("\n").reverse().filter(isWanted);
  return lines.length === 0 ? [] : parseStored(lines.reverse().join("\n"));
}

/** Query for the newest line of each group of lines. */
interface NewestQuery {
  /** Fields by which lines are grouped: equal values form a group. Lines without the first field are skipped. */
  readonly by: readonly StoredField[];
  /** Wanted values of the first field; lines with other values are skipped. Default: all values. */
  readonly only?: readonly string[];
  /**
   * Number of groups after which reading stops. Default: the number of values in `only` if `only` is set and `by` has
   * one field; otherwise no limit.
   */
  readonly count?: number;
  /** Returns true for a stored line that may be returned. Default: every line. */
  isWanted?(line: StoredText): boolean;
}

/**
 * Finds the newest wanted line of each group, newest first. Reads the two newest months backwards, at most 32 MiB, and
 * parses only the lines that it returns.
 */
export function findNewest(folder: string, { by, only, count, isWanted = () => true }: NewestQuery): JournalLine[] {
  const found = new Map<string, JournalLine>();
  const values = only && new Set(only.map(toStored));
  const maxFound = count ?? (values && by.length === 1 ? values.size : Number.POSITIVE_INFINITY);
  if (maxFound <= 0) return [];
  for (const [stored, ...fields] of readFields(folder, by)) {
    const key = fields.join("\n");
    if (values?.has(fields[0] ?? "") === false || found.has(key) || !isWanted(stored)) continue;
    const [line] = parseStored(stored);
    if (line) found.set(key, line);
    if (found.size >= maxFound) break;
  }
  return [...found.values()];
}

/**
 * Reads the lines that have the first field, newest first, each with the values of the fields. One pattern for a piece
 * takes half the time of searching each line.
 */
function* readFields(folder: string, [first = "id", ...others]: readonly StoredField[]): Generator<RegExpExecArray> {
  const optional = others.map((field) => `(?=(?:.*?${textPattern(field)})?)`);
  const pattern = new RegExp(`^(?=.*?${textPattern(first)})${optional.join("")}.*`, "gm");
  for (const piece of readPieces(folder, { months: 2, maxBytes: maxReadBytes }))
    yield* [...piece.matchAll(pattern)].reverse();
}

/** Query for the newest events. */
export interface EventQuery {
  /** Maximum number of events. */
  readonly limit: number;
  isWanted(line: JournalLine): boolean;
  /** Patterns that match the stored text of every wanted line, so that other lines need not be parsed. */
  readonly patterns?: readonly RegExp[];
  /** Start of the time span to search, Unix milliseconds. */
  readonly sinceMs?: number;
}

/** Maximum time by which lines may be out of order, because the clock changed or two processes wrote: one hour. */
export const maxDisorderMs = 3_600_000;
/** Maximum number of lines that are read of one event, newest first. The event's first line is read in any case. */
const maxEventLines = 500;
const firstStatus = /"status":"(?:accepted|rejected)"/;

/** Number of older events that are read too, because they may have newer lines than the newest event. */
const olderEvents = 10;

/**
 * Finds the events that came last of those with a wanted line, and reads their lines, oldest first: of each event the
 * first line and the newest 500. Reads up to 32 MiB more to find an event's first line.
 */
export function newestEvents(folder: string, query: EventQuery): JournalLine[] {
  const { ids, readBytes } = findEvents(folder, { ...query, limit: query.limit + olderEvents });
  const lines = readEvents(folder, ids, readBytes + maxReadBytes);
  const newest = new Set([...new Set(lines.map(({ id }) => id))].slice(-query.limit));
  return lines.filter(({ id }) => newest.has(id));
}

/**
 * Reads the lines of the events with these ids, oldest first: of each event the first line and the newest 500. Searches
 * the whole journal.
 */
export function readEventLines(folder: string, ids: readonly string[]): JournalLine[] {
  return readEvents(folder, new Set(ids.map(toStored)), Number.POSITIVE_INFINITY);
}

/** Finds the ids of the newest events that have a wanted line. Returns them as they are stored. */
function findEvents(folder: string, { limit, sinceMs, ...query }: EventQuery) {
  const ids = new Set<StoredText>();
  const since = sinceMs === undefined ? "" : new Date(sinceMs - maxDisorderMs).toISOString();
  let readBytes = 0;
  for (const piece of readPieces(folder)) {
    readBytes += piece.length;
    for (const id of findIds(piece, ids, query)) {
      ids.add(id);
      if (ids.size >= limit) return { ids, readBytes };
    }
    if ((readStoredField(piece, "at") ?? since) < since) break;
  }
  return { ids, readBytes };
}

/** Finds the ids of events that have a wanted line in a piece, newest first. Leaves out ids that are already known. */
function* findIds(
  piece: StoredText,
  known: ReadonlySet<StoredText>,
  { isWanted, patterns = [] }: Pick<EventQuery, "isWanted" | "patterns">,
): Generator<StoredText> {
  const mayMatch = (text: StoredText): boolean => patterns.every((pattern) => pattern.test(text));
  const lines = mayMatch(piece) ? piece.split("\n").reverse() : [];
  for (const stored of lines) {
    if (!mayMatch(stored) || known.has(readStoredField(stored, "id") ?? "")) continue;
    const line = parseStored(stored).find(isWanted);
    if (line) yield toStored(line.id);
  }
}

/** Reads the lines of events, going back in the journal until the first line of each event is found. */
function readEvents(folder: string, ids: ReadonlySet<StoredText>, maxBytes: number): JournalLine[] {
  if (ids.size === 0) return [];
  const found: JournalLine[][] = [];
  const missingStart = new Set(ids);
  const counts = new Map([...ids].map((id) => [id, 0]));
  const isWanted = (stored: StoredText): boolean => {
    const id = readStoredField(stored, "id") ?? "";
    const count = counts.get(id);
    if (count === undefined) return false;
    counts.set(id, count + 1);
    const isFirst = firstStatus.test(stored);
    if (isFirst) missingStart.delete(id);
    return isFirst || count < maxEventLines;
  };
  for (const piece of readPieces(folder, { maxBytes })) {
    found.push(parseWanted(piece, isWanted));
    if (missingStart.size === 0) break;
  }
  return found.reverse().flat();
}

/** Builds a pattern that matches a stored line if the text of a field begins with one of the values. */
export function fieldPattern(field: StoredField, values: readonly string[]): RegExp {
  const escaped = values.map((value) => toStored(value).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`"${field}":"(?:${escaped.join("|")})`);
}

/**
 * Finds the journal's lines that contain all words, in upper or lower case. Yields lists of lines. The newest list
 * comes first, and the newest line in each list. Searches the bytes and parses only matching lines, so that a search
 * through twelve months takes a fraction of a second.
 */
export function* findLines(folder: string, words: readonly string[]): Generator<readonly JournalLine[]> {
  const asked = words.filter((word) => word !== "").sort((a, b) => b.length - a.length);
  const [first, ...others] = asked.map(buildPattern);
  const pattern = first === undefined ? undefined : new RegExp(first, "gi");
  const more = others.map((source) => new RegExp(source, "i"));
  for (const piece of readPieces(folder)) yield findInPiece(piece, asked, pattern, more);
}

function findInPiece(
  piece: string,
  words: readonly string[],
  pattern: RegExp | undefined,
  others: readonly RegExp[],
): JournalLine[] {
  if (pattern === undefined) return parseStored(piece).reverse();
  const found: string[] = [];
  for (let match = pattern.exec(piece); match !== null; match = pattern.exec(piece)) {
    const start = piece.lastIndexOf("\n", match.index) + 1;
    const end = (piece.indexOf("\n", match.index) + 1 || piece.length + 1) - 1;
    const line = piece.slice(start, end);
    if (others.every((pattern) => pattern.test(line))) found.push(line);
    pattern.lastIndex = Math.max(end, match.index + 1);
  }
  if (found.length === 0) return [];
  const lowered = words.map((word) => word.toLowerCase());
  const has = (line: JournalLine): boolean => lowered.every((word) => joinTexts(line).includes(word));
  return parseStored(found.join("\n")).filter(has).reverse();
}

/** Returns all texts of a line, in lower case, for searching in them. */
function joinTexts(line: JournalLine): string {
  return Object.values(line)
    .filter((value) => typeof value === "string")
    .join("\n")
    .toLowerCase();
}

/**
 * Builds a pattern that matches a word in the JSON of a stored line (one character per byte), in upper or lower case.
 * The pattern does not match keys, because they are in every line.
 */
function buildPattern(word: string): string {
  const json = JSON.stringify(word).slice(1, -1);
  const characters = [...json].map((character) => {
    const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
    const asBytes = [...cases].map((spelling) =>
      Buffer.from(spelling, "utf8").toString("latin1").replace(special, "\\$&"),
    );
    return asBytes.length === 1 ? asBytes[0] : `(?:${asBytes.join("|")})`;
  });
  return `${characters.join("")}(?![A-Za-z]*":)`;
}
const special = /[\\^$.*+?()[\]{}|/]/g;

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
  const text = withFile(file, (open) => {
    const end = findFirstAt(open, open.sizeBytes, new Date(toMs).toISOString());
    const start = Math.max(findFirstAt(open, end, new Date(fromMs).toISOString()), end - maxReadBytes);
    return open.read(start, end - start).toString("utf8");
  });
  return text ?? "";
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
