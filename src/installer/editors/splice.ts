/** Range in a text, in UTF-16 units. `start` is inside the range, `end` is just after it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Range of a text to replace by `by`. Without `by`, the range is removed. */
export interface Replacement extends Range {
  readonly by?: string;
}

/** Replaces ranges of a text, which must not overlap. */
export function splice(text: string, ...replacements: readonly Replacement[]): string {
  const fromTheEnd = replacements.toSorted((a, b) => b.start - a.start);
  return fromTheEnd.reduce((edited, { start, end, by = "" }) => edited.slice(0, start) + by + edited.slice(end), text);
}

/** Inserts a text at an offset. */
export function insert(text: string, at: number, added: string): string {
  return splice(text, { start: at, end: at, by: added });
}
