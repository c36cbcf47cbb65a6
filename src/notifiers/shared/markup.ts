const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A text with `&`, `<` and `>` as entities. */
export function escapeEntities(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/** A text as it is inside a JSON string; `countedAs` of receivers that limit the bytes of the whole payload. */
export function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** An invisible character that separates characters which would be markup together. */
const zeroWidthSpace = "\u200b";

/** A text with an invisible space after every match, for services where nothing can be escaped. */
export function breakBehind(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) => match + zeroWidthSpace);
}

/**
 * A text as a fenced block, which no backticks in it can end. https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRunOfBackticks(text) + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/** A line as a code span, which no backticks in the line can end. https://spec.commonmark.org/0.31.2/#code-spans */
export function codeSpan(line: string): string {
  const ticks = "`".repeat(longestRunOfBackticks(line) + 1);
  return `${ticks} ${line} ${ticks}`;
}

function longestRunOfBackticks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
