/** Range in a text, from the first to after the last UTF-16 unit. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Range of a text to replace, or to remove without `by`. */
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
