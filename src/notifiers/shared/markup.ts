/** Escapes a text like the inside of a JSON string. Serves as `countedAs` if a limit applies to the whole payload. */
export function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Invisible character that separates characters which together would be markup. */
const zeroWidthSpace = "\u200b";

/** Adds an invisible space after every match, for services that have no escape character. */
export function breakBehind(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) => match + zeroWidthSpace);
}

/**
 * Formats a text as a fenced code block. The fence is longer than any run of backticks in the text.
 * https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRunOfBackticks(text) + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/**
 * Formats a line as a code span whose delimiter is longer than any run of backticks in the line.
 * https://spec.commonmark.org/0.31.2/#code-spans
 */
export function codeSpan(line: string): string {
  const ticks = "`".repeat(longestRunOfBackticks(line) + 1);
  return `${ticks} ${line} ${ticks}`;
}

function longestRunOfBackticks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
