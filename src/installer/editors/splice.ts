/** From the first character of something to just after its last one, UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A range of a text that is replaced; without `by` it is removed. */
export interface Replacement extends Range {
  readonly by?: string;
}

/** The text with some ranges replaced. They must not overlap. */
export function splice(text: string, ...replacements: readonly Replacement[]): string {
  const fromTheEnd = replacements.toSorted((a, b) => b.start - a.start);
  return fromTheEnd.reduce((edited, { start, end, by = "" }) => edited.slice(0, start) + by + edited.slice(end), text);
}

/** The text with something inserted at an offset. */
export function insert(text: string, at: number, added: string): string {
  return splice(text, { start: at, end: at, by: added });
}
