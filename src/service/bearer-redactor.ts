import { redactor, secretPlaceholder } from "../core/secret.ts";

/** Shorter ones `redactor` leaves: they could be part of any word. */
const leastChars = 6;

/**
 * Takes key or JWT out of texts, in every form it could come back in: as it is, as part of the header, quoted as in JSON.
 * A text that holds one too short to be told from other words is dropped as a whole.
 */
export function bearerRedactor(bearer: string): (text: string) => string {
  if (bearer.length < leastChars) return (text) => (text.includes(bearer) ? secretPlaceholder : text);
  return redactor([bearer, `Bearer ${bearer}`, JSON.stringify(bearer).slice(1, -1)]);
}
