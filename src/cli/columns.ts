import { cut, graphemes } from "../text/cut.ts";

/** Matches characters that take two terminal cells: East Asian wide and full-width characters, and emoji. */
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;
/** Matches texts of printable ASCII, which take one cell per character. */
const printableAscii = /^[\x20-\x7e]*$/;

/**
 * Matches texts of characters that take one cell each: Latin, Greek and Cyrillic letters, punctuation, arrows and the
 * signs of our tables. Splitting other texts into graphemes takes 10 ms for the first one.
 */
const singleCells =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2713-\u2718]*$/;

/** Counts the terminal cells of a text without escape sequences. */
export function countCells(text: string): number {
  if (singleCells.test(text)) return text.length;
  let cells = 0;
  for (const grapheme of graphemes(text)) cells += asciiGrapheme(grapheme).length;
  return cells;
}

/** Replaces a grapheme by ASCII characters of the same width. */
function asciiGrapheme(grapheme: string): string {
  if (/^[\x00-\x7f]*$/.test(grapheme)) return grapheme;
  if (/^\p{Default_Ignorable_Code_Point}+$/u.test(grapheme)) return "";
  return wide.test(grapheme) ? "??" : "?";
}

/** Cuts a line to `maxCells` terminal cells, between graphemes. A cut line ends in `…`. */
export function cutToCells(text: string, maxCells: number): string {
  if (text.length <= maxCells && printableAscii.test(text)) return text;
  return cut(text, maxCells, "utf16", asciiGrapheme);
}

/** Replaces every non-ASCII character by question marks, one for each terminal cell. */
export function asciiCells(text: string): string {
  if (printableAscii.test(text)) return text;
  return Array.from(graphemes(text), asciiGrapheme).join("");
}

/** Aligns columns with two spaces between them. The last column is not padded. */
export function alignRows(rows: readonly (readonly string[])[], paint?: (cell: string, column: number) => string) {
  const widths: number[] = [];
  for (const row of rows) widen(widths, row);
  return rows.map((row) => joinCells(row, widths, paint));
}

/** Widens columns to fit the cells of a row. */
export function widen(widths: number[], row: readonly string[]): void {
  for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, countCells(cell));
}

/** Pads a row's cells to the given widths and joins them. `paint` adds colours, which take no width. */
export function joinCells(
  row: readonly string[],
  widths: readonly number[],
  paint: (cell: string, column: number) => string = (cell) => cell,
): string {
  const painted = row.map((cell, at) => {
    const padding = " ".repeat(Math.max(0, (widths[at] ?? 0) - countCells(cell)));
    return cell === "" ? padding : paint(cell, at) + padding;
  });
  return painted.join("  ").trimEnd();
}

/** Minimum room, in cells, for folding a text next to the start of its line instead of below it. A shorter text needs less. */
const minTailCells = 24;
const belowIndent = 4;

/**
 * Aligns columns, and folds the last column between words so that lines fit `maxCells`. A word longer than a line stays
 * whole, so that it can be copied.
 */
export function fitRows(
  rows: readonly (readonly string[])[],
  maxCells: number,
  paint: (cell: string, column: number) => string = (cell) => cell,
): string[] {
  if (alignRows(rows).every((row) => countCells(row) <= maxCells)) return alignRows(rows, paint);
  const lastAt = Math.max(...rows.map(({ length }) => length)) - 1;
  const heads = rows.map((row) => row.slice(0, lastAt));
  const plain = alignRows(heads);
  const tailAt = Math.max(...plain.map(countCells)) + 2;
  return alignRows(heads, paint).flatMap((painted, at) =>
    withTail({ painted, plain: plain[at] ?? "", tailAt }, rows[at]?.[lastAt] ?? "", maxCells, (text) =>
      paint(text, lastAt),
    ),
  );
}

/** Formats cells padded to the given widths, and then a text, as `withTail` does. */
export function rowWithTail(
  [cells, widths]: readonly [cells: readonly string[], widths: readonly number[]],
  tail: string,
  maxCells: number,
  paint: (cell: string, column: number) => string,
): string[] {
  const tailAt = widths.slice(0, cells.length).reduce((sum, width) => sum + width + 2, 0);
  const [plain, painted] = [joinCells(cells, widths), joinCells(cells, widths, paint)];
  return withTail({ plain, painted, tailAt }, tail, maxCells);
}

/** Start of a line, with and without colours, and the cell where the text after it begins. */
interface Head {
  readonly painted: string;
  readonly plain: string;
  readonly tailAt: number;
}

/**
 * Appends a text to the start of a line. If the text must be folded, it continues next to the start if there is room,
 * else below it.
 */
function withTail(
  { painted, plain, tailAt }: Head,
  tail: string,
  maxCells: number,
  paint: (text: string) => string = (text) => text,
): string[] {
  const isBeside = maxCells - tailAt >= Math.min(minTailCells, countCells(tail));
  const indent = " ".repeat(isBeside ? tailAt : belowIndent);
  const folded = tail === "" ? [] : fold(tail, maxCells - indent.length).map(paint);
  const [first = "", ...rest] = isBeside ? folded : [];
  const head = painted + (first === "" ? "" : " ".repeat(tailAt - countCells(plain)) + first);
  const above = countCells(plain) <= maxCells ? [head] : fold(plain, maxCells, belowIndent);
  return [...above, ...(isBeside ? rest : folded).map((line) => indent + line)];
}

/** Matches a command to copy, after a colon or in backticks, up to the end of its sentence. */
const command =
  /(?<=: |`)(?:BECKON_HOME=(?:'[^']*'|[^\s'])+ )?(?:beckon|(?:node )?\S*cli\.js["']?)(?: (?:'[^']*'|[^\s'`.,;]|[.,;](?=[^\s`]))+)+/
    .source;
/** Matches a word, or a command with its words. */
const unfoldable = new RegExp(`\\s*(?:${command}|\\S)+(?:\\s+$)?`, "g");

/**
 * Folds a line at spaces to fit `maxCells`, with `indent` spaces before each line but the first. A word longer than a
 * line stays whole, and so does a command, which is copied.
 */
export function fold(text: string, maxCells: number, indent = 0): string[] {
  if (countCells(text) <= maxCells) return [text];
  const lines: string[] = [];
  let line = "";
  // Spaces within a line stay, because a command's spaces have a meaning.
  for (const word of text.match(unfoldable) ?? [text]) {
    const longer = line + word;
    if (line.trim() === "" || countCells(longer) <= maxCells) line = longer;
    else {
      lines.push(line);
      line = " ".repeat(indent) + word.trimStart();
    }
  }
  return [...lines, line];
}

/** Folds a text as `fold` does, but cuts words longer than a line. */
export function foldAndCut(text: string, maxCells: number): string[] {
  return fold(text, maxCells).map((line) => cutToCells(line, maxCells));
}
