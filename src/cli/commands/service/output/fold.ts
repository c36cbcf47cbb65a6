import { cellsOf, cutToCells } from "../../../columns.ts";

/** A text in lines of at most `cells`, folded between words; a longer word is cut. */
export function foldedLines(text: string, cells: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && cellsOf(last) + 1 + cellsOf(word) <= cells) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(cutToCells(word, cells));
  }
  return lines;
}
