import type { LengthUnit } from "./message.ts";

const ellipsis = "…";
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const utf8 = new TextEncoder();

/** The length of a text in a receiver's own unit. */
export function lengthIn(unit: LengthUnit, text: string): number {
  if (unit === "utf16") return text.length;
  if (unit === "bytes") return utf8.encode(text).length;
  let count = 0;
  for (const _ of unit === "codePoints" ? text : segmenter.segment(text)) count += 1;
  return count;
}

/**
 * A text that is at most `max` long in the given unit. A longer one is cut between graphemes and ends in `…`, which is
 * counted; where not even the ellipsis fits, nothing is left. Cut before escaping, never after.
 * @param countedAs the form whose length counts, where that is not the text itself
 */
export function cut(text: string, max: number, unit: LengthUnit, countedAs = (part: string): string => part): string {
  // No grapheme people write is longer than this; without a bound one could make megabytes go through the segmenter.
  const longestGrapheme = 64;
  const bounded = text.slice(0, Math.min(text.length, (max + 1) * longestGrapheme));
  if (bounded.length === text.length && lengthIn(unit, countedAs(text)) <= max) return text;
  let left = max - lengthIn(unit, ellipsis);
  if (left < 0) return "";
  let kept = "";
  for (const { segment } of segmenter.segment(bounded)) {
    left -= lengthIn(unit, countedAs(segment));
    if (left < 0) break;
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
}
