import type { LengthUnit } from "./message.ts";

const ellipsis = "…";
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The length of a text in a receiver's own unit. */
export function lengthIn(unit: LengthUnit, text: string): number {
  if (unit === "utf16") return text.length;
  if (unit === "bytes") return Buffer.byteLength(text);
  let count = 0;
  for (const _ of unit === "codePoints" ? text : graphemes(text)) count += 1;
  return count;
}

/**
 * A text that is at most `max` long in the given unit. A longer one is cut between graphemes and ends in `…`, which is
 * counted; where not even the ellipsis fits, nothing is left. Cut before escaping, never after.
 * @param countedAs the form whose length counts, where that is not the text itself
 */
export function cut(text: string, max: number, unit: LengthUnit, countedAs = (part: string): string => part): string {
  let left = max;
  let kept = 0;
  let room = -1;
  let isShort = true;
  for (const grapheme of graphemes(text)) {
    // Where the ellipsis would have to stand, should the rest turn out to be too long.
    if (left >= lengthIn(unit, countedAs(ellipsis))) room = kept;
    left -= unit === "graphemes" ? 1 : lengthIn(unit, countedAs(grapheme));
    isShort = left >= 0;
    if (!isShort) break;
    kept += grapheme.length;
  }
  if (isShort) return text;
  return room < 0 ? "" : text.slice(0, room).trimEnd() + ellipsis;
}

/** No grapheme that people write is longer. A longer one counts, and is cut, as if it were several. */
const longestGraphemeChars = 64;

/**
 * The graphemes of a text. Segmented a window at a time, since the segmenter takes time in the square of a long text's
 * length: four seconds for 100 kB.
 */
function* graphemes(text: string): Generator<string> {
  const windowChars = 512;
  for (let start = 0; start < text.length; ) {
    const window = text.slice(start, pairEnd(text, start + windowChars));
    const parts = [...segmenter.segment(window)].map(({ segment }) => segment);
    // The last one may go on behind the window, unless it is the only one.
    const isWhole = start + window.length === text.length || parts.length === 1;
    for (const part of isWhole ? parts : parts.slice(0, -1)) {
      for (let from = 0, to = 0; from < part.length; from = to) {
        to = pairEnd(part, from + longestGraphemeChars);
        yield part.slice(from, to);
      }
      start += part.length;
    }
  }
}

/** An index that does not fall between the two halves of one character. */
function pairEnd(text: string, index: number): number {
  const isWithin = index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff;
  return isWithin ? index - 1 : index;
}
