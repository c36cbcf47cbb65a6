import { cut } from "../../core/cut.ts";

/** Pixels of a unit of width at 12 pixels; of the wider fonts, so that nothing is wider than it is taken for. */
const unitPixels = 3.6;

/** A character as so many letters as it takes units: nobody can measure text where there is no screen. */
function asUnits(grapheme: string): string {
  if (/^[ijlI|!.,:;']/.test(grapheme)) return "x";
  if (/^[A-LN-VX-Zw&\u0370-\u10ff]/.test(grapheme)) return "xxx";
  // East Asian characters and emoji, each as wide as it is high.
  return /^[MWm@%\u1100-\uffff\u{10000}-\u{10ffff}]/u.test(grapheme) ? "xxxx" : "xx";
}

/** About how wide a label is, pixels. */
export function labelPixels(text: string): number {
  return [...text].reduce((units, character) => units + asUnits(character).length, 0) * unitPixels;
}

/** A label that fits, cut between graphemes; the chart library would cut an emoji in two. */
export function fittedLabel(text: string, pixels: number): string {
  return cut(text, Math.floor(pixels / unitPixels), "utf16", asUnits);
}
