import { cleanLine } from "./clean.ts";
import { counted } from "./time.ts";

/** Unit of a receiver's length limits. `bytes` are UTF-8 bytes, `utf16` is the `length` of a JavaScript string. */
export type LengthUnit = "bytes" | "utf16" | "codePoints" | "graphemes";

const ellipsis = "…";
const unchanged = (text: string): string => text;

/** Measures a text in a receiver's unit. */
export function lengthIn(unit: LengthUnit, text: string): number {
  if (unit === "utf16" || plain.test(text)) return text.length;
  if (unit === "bytes") return Buffer.byteLength(text);
  let count = 0;
  for (const _ of unit === "codePoints" ? text : graphemes(text)) count += 1;
  return count;
}

/**
 * Cuts a text to at most `max` units. A longer text is cut between graphemes and ends in `…`, which is included in
 * `max`. If not even the ellipsis fits, the result is empty. Cut before escaping, never after.
 * @param countedAs converts text to the form whose length counts, such as escaped text; default: the text itself
 */
export function cut(text: string, max: number, unit: LengthUnit, countedAs = unchanged): string {
  // Code points and graphemes are never more than UTF-16 units.
  if (countedAs === unchanged && (unit === "bytes" ? Buffer.byteLength(text) : text.length) <= max) return text;
  const ellipsisLength = lengthIn(unit, countedAs(ellipsis));
  let left = max;
  let kept = 0;
  let room = -1;
  let isShort = true;
  for (const grapheme of graphemes(text)) {
    // Last position at which the ellipsis still fits, in case the rest is too long.
    if (left >= ellipsisLength) room = kept;
    left -= unit === "graphemes" ? 1 : lengthIn(unit, countedAs(grapheme));
    isShort = left >= 0;
    if (!isShort) break;
    kept += grapheme.length;
  }
  if (isShort) return text;
  return room < 0 ? "" : text.slice(0, room).trimEnd() + ellipsis;
}

/**
 * Cuts a text like `cut`, and adds the number of lines that are left out, or of characters in the last line:
 * `… (+12 lines)`. Leaves the number out if there is no room for it.
 */
export function cutCounted(text: string, max: number, unit: LengthUnit, countedAs = unchanged): string {
  const whole = cut(text, max, unit, countedAs);
  if (whole === text) return text;
  const label = (count: number, noun: string) => ` (+${counted(count, noun)})`;
  const countLines = (part: string) => part.split("\n").length - 1;
  // Splitting a long text into graphemes takes time, and it has no more of them than UTF-16 units.
  const longest = [label(countLines(text), "line"), label(text.length, "character")];
  const kept = cut(text, max - Math.max(...longest.map((words) => lengthIn(unit, countedAs(words)))), unit, countedAs);
  if (kept === "") return whole;
  const rest = text.slice(kept.length - 1);
  const lines = countLines(rest);
  return kept + (lines > 0 ? label(lines, "line") : label(lengthIn("graphemes", rest), "character"));
}

/** Longest grapheme, in UTF-16 units; people write no longer ones. A longer grapheme is split. */
const maxGraphemeChars = 64;

/** Matches a text in which every character is a grapheme. */
const plain = /^[\n\x20-\x7e]*$/;
/** Splitter of graphemes. It is created on first use, because that takes 8 ms. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Splits a text into graphemes, one part of the text after the other, because the segmenter's time grows with the
 * square of the length: four seconds for 100 kB.
 */
export function* graphemes(text: string): Generator<string> {
  if (plain.test(text)) return yield* text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const windowChars = 512;
  for (let start = 0; start < text.length; ) {
    const window = text.slice(start, pairEnd(text, start + windowChars));
    const isLastWindow = start + window.length === text.length;
    // Lazily, because cutting a long text needs only its first graphemes.
    for (const { segment, index } of segmenter.segment(window)) {
      // The last grapheme may continue after the window, unless it is the only one.
      const reachesEnd = index + segment.length === window.length;
      if (reachesEnd && !isLastWindow && index > 0) break;
      for (let from = 0, to = 0; from < segment.length; from = to) {
        to = pairEnd(segment, from + maxGraphemeChars);
        yield segment.slice(from, to);
      }
      start += segment.length;
    }
  }
}

/** Returns the index, or the index before it if it is between the halves of a surrogate pair. */
function pairEnd(text: string, index: number): number {
  const splitsPair = index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff;
  return splitsPair ? index - 1 : index;
}

const maxNameChars = 24;

/** Cuts a name to fit a row or a status bar. */
export function shortName(name: string): string {
  return cut(cleanLine(name), maxNameChars, "graphemes");
}

/**
 * Returns for each id the length of the shortest start that no other of the ids has.
 * @param least minimum length, UTF-16 units
 */
export function uniqueLengths(ids: readonly string[], least: number): Map<string, number> {
  const sorted = ids.toSorted();
  const findLength = (id: string, index: number, length = least): number => {
    const isShared = [index - 1, index + 1].some((next) => sorted[next]?.startsWith(id.slice(0, length)));
    return isShared && length < id.length ? findLength(id, index, length + 1) : length;
  };
  return new Map(sorted.map((id, index) => [id, findLength(id, index)]));
}
