import { redactor } from "../core/secret.ts";
import { secretPlaceholder } from "../text/secret-placeholder.ts";

/** Shortest key that `redactor` replaces; a shorter key could be part of any word. */
const minRedactedChars = 6;

/**
 * Makes a function that removes a key or JWT from texts in all its forms: unchanged, with `Bearer`, and escaped as in
 * JSON. A text with a very short key is replaced as a whole.
 */
export function bearerRedactor(bearer: string): (text: string) => string {
  if (bearer.length < minRedactedChars) return (text) => (text.includes(bearer) ? secretPlaceholder : text);
  return redactor([bearer, `Bearer ${bearer}`, JSON.stringify(bearer).slice(1, -1)]);
}
