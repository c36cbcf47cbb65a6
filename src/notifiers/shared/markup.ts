const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** `&`, `<` and `>` as entities, in one pass: what Slack and desktop notification bodies need to show text as text. */
export function escapeEntities(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/** The form a text has within a JSON string: what counts where a receiver limits the bytes of the whole payload. */
export function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** An invisible character that parts what would be markup together. */
export const zeroWidthSpace = "\u200b";

/** A text with an invisible space behind every match, for services that define no way to escape. */
export function breakBehind(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) => match + zeroWidthSpace);
}

/** A text in a fence of backticks that nothing in it ends. https://spec.commonmark.org/0.31.2/#fenced-code-blocks */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text, "`") + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/** A line as a code span that nothing in it ends. https://spec.commonmark.org/0.31.2/#code-spans */
export function codeSpan(line: string): string {
  const ticks = "`".repeat(longestRun(line, "`") + 1);
  return `${ticks} ${line} ${ticks}`;
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const one of text) {
    run = one === character ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
