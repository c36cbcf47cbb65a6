const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** `&`, `<` and `>` as entities, in one pass: what Slack and desktop notification bodies need to show text as text. */
export function escapeEntities(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/**
 * A text with a backslash before every character that could begin markup in Markdown and its kin, so that it reads as
 * written. https://spec.commonmark.org/0.31.2/#backslash-escapes
 */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~>|#+\-[\]()<{}!]/g, "\\$&");
}

/** The form a text has within a JSON string: what counts where a receiver limits the bytes of the whole payload. */
export function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** U+200B: nobody sees it, and what it stands in is not recognized as a mention or a link. */
const zeroWidthSpace = "\u200b";

/** A text in which every one of the given characters is followed by a zero-width space, so that it begins nothing. */
export function breakAfter(characters: string, text: string): string {
  return Array.from(text, (character) =>
    characters.includes(character) ? character + zeroWidthSpace : character,
  ).join("");
}
