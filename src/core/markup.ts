const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** `&`, `<` and `>` as entities, in one pass: what Slack and desktop notification bodies need to show text as text. */
export function escapeEntities(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
