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
