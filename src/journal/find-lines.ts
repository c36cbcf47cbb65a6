import type { JournalLine } from "./journal-line.ts";
import { parseStored, readPieces } from "./stored-line.ts";

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
