import { join } from "node:path";
import { openQuietly } from "../files/read-file.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";
import { journalFiles } from "./read-journal.ts";

/** Read at once. V8 keeps texts above 128 KiB apart, where they pile up. */
const pieceBytes = 64 * 1024;
/** A longer line is not found. */
const maxLineBytes = 512 * 1024;

/**
 * The lines of the whole journal that have all words in their texts, whatever their case: piece by piece, the newest
 * piece first, the lines of a piece newest first. Bytes are searched as they are, and only what matches is decoded and
 * parsed: twelve months take a fraction of a second.
 */
export function* findLines(folder: string, words: readonly string[]): Generator<readonly JournalLine[]> {
  const asked = words.filter((word) => word !== "").sort((a, b) => b.length - a.length);
  const [first, ...others] = asked.map(patternOf);
  const pattern = first === undefined ? undefined : new RegExp(first, "gi");
  const more = others.map((source) => new RegExp(source, "i"));
  for (const file of journalFiles(folder).toReversed()) {
    for (const piece of piecesBackwards(join(folder, file))) yield linesIn(piece, asked, pattern, more);
  }
}

function linesIn(
  piece: string,
  words: readonly string[],
  pattern: RegExp | undefined,
  others: readonly RegExp[],
): JournalLine[] {
  if (pattern === undefined) return parsed(piece).reverse();
  const found: string[] = [];
  for (let match = pattern.exec(piece); match !== null; match = pattern.exec(piece)) {
    const start = piece.lastIndexOf("\n", match.index) + 1;
    const end = (piece.indexOf("\n", match.index) + 1 || piece.length + 1) - 1;
    const line = piece.slice(start, end);
    if (others.every((one) => one.test(line))) found.push(line);
    pattern.lastIndex = Math.max(end, match.index + 1);
  }
  if (found.length === 0) return [];
  const lowered = words.map((word) => word.toLowerCase());
  const has = (line: JournalLine): boolean => lowered.every((word) => textOf(line).includes(word));
  return parsed(found.join("\n")).filter(has).reverse();
}

function parsed(latin1: string): JournalLine[] {
  return parseJournal(Buffer.from(latin1, "latin1").toString("utf8"));
}

/** Everything in a line that a person may look for, in small letters. */
function textOf(line: JournalLine): string {
  return Object.values(line)
    .filter((value) => typeof value === "string")
    .join("\n")
    .toLowerCase();
}

/**
 * A word in the bytes of a line's JSON, each byte a character, in either case; not where it is part of a key, which
 * every line has.
 */
function patternOf(word: string): string {
  const json = JSON.stringify(word).slice(1, -1);
  const characters = [...json].map((character) => {
    const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
    const asBytes = [...cases].map((one) => Buffer.from(one, "utf8").toString("latin1").replace(special, "\\$&"));
    return asBytes.length === 1 ? asBytes[0] : `(?:${asBytes.join("|")})`;
  });
  return `${characters.join("")}(?![A-Za-z]*":)`;
}
const special = /[\\^$.*+?()[\]{}|/]/g;

/** Whole lines of a file in pieces, the last piece first, each byte a character. */
function* piecesBackwards(file: string): Generator<string> {
  const open = openQuietly(file);
  if (!open) return;
  try {
    let length = pieceBytes;
    let end = open.sizeBytes;
    while (end > 0) {
      const from = Math.max(0, end - length);
      const text = open.read(from, end - from).toString("latin1");
      const start = from === 0 ? 0 : text.indexOf("\n") + 1;
      const hasLine = start > 0 ? from + start < end : from === 0;
      if (!hasLine && length < maxLineBytes) {
        length *= 2;
        continue;
      }
      if (hasLine) yield text.slice(start);
      end = hasLine ? from + start : from;
      length = pieceBytes;
    }
  } finally {
    open.close();
  }
}
