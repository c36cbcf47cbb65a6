const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** East Asian wide and full-width characters, and emoji: two cells of a terminal. */
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

/** How many cells of a terminal a text without escape sequences takes. */
export function cellsOf(text: string): number {
  // Most texts are of this kind, and need no segmenter, which is slow.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let cells = 0;
  for (const { segment } of segmenter.segment(text)) cells += wide.test(segment) ? 2 : 1;
  return cells;
}

/** A text of one line that takes at most so many cells; a longer one is cut between graphemes and ends in `…`. */
export function cutToCells(text: string, maxCells: number): string {
  // Nothing behind can be shown, and the segmenter takes time in the square of a text's length.
  const start = text.slice(0, maxCells * 8);
  const isWhole = start.length === text.length;
  if (isWhole && cellsOf(text) <= maxCells) return text;
  const parts = [...segmenter.segment(start)];
  let kept = "";
  let cells = 1;
  for (const { segment } of isWhole ? parts : parts.slice(0, -1)) {
    cells += cellsOf(segment);
    if (cells > maxCells) break;
    kept += segment;
  }
  return maxCells < 1 ? "" : `${kept.trimEnd()}…`;
}

/** A text in ASCII that takes the same cells: whatever else is in it becomes question marks. */
export function asciiCells(text: string): string {
  const parts = [...segmenter.segment(text)].map(({ segment }) =>
    /^[\x00-\x7f]+$/.test(segment) ? segment : "?".repeat(cellsOf(segment)),
  );
  return parts.join("");
}

/** Rows of cells, each column as wide as its widest cell, two spaces between; the last column is not filled up. */
export function alignRows(rows: readonly (readonly string[])[], paint?: (cell: string, column: number) => string) {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cellsOf(cell));
    });
  return rows.map((row) => joinCells(row, widths, paint));
}

/** One row with given widths. Colours are put on after the width is known. */
export function joinCells(
  row: readonly string[],
  widths: readonly number[],
  paint: (cell: string, column: number) => string = (cell) => cell,
): string {
  const painted = row.map((cell, at) => {
    const filling = " ".repeat(Math.max(0, (widths[at] ?? 0) - cellsOf(cell)));
    return cell === "" ? filling : paint(cell, at) + filling;
  });
  return painted.join("  ").trimEnd();
}
