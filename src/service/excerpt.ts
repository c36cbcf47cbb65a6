import { cleanLine } from "../text/clean.ts";
import { secretPlaceholder } from "../text/secret-placeholder.ts";

/** Most characters of a text from the service that an error carries. */
const maxTextChars = 500;
/** How much of a body is looked at for an excerpt, characters. */
const maxBodyChars = 4096;

/** Removes the key from a text that the service sent. */
export type Redact = (text: string) => string;

/**
 * A text from the service, safe to show; at most 500 characters on one line. The key is removed first: cleaning or
 * cutting could leave a part of it.
 */
export function foreignText(text: string, redact: Redact): string {
  return redact(cleanLine(redact(text)))
    .slice(0, maxTextChars)
    .toWellFormed();
}

const secretTexts = /("[^"]*(?:key|secret|token|password|credentials?|authorization)"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi;
const secretObjects = /("\w*headers"\s*:\s*)\{[^}]*\}?/gi;

/**
 * The beginning of a reply's body, safe to show, at most 500 characters; undefined for an empty one. Texts in JSON
 * whose names say that they are secrets, and headers, are shown as `[secret]`.
 */
export function excerptOf(body: string, redact: Redact): string | undefined {
  const masked = redact(body)
    .slice(0, maxBodyChars)
    .replace(secretTexts, `$1"${secretPlaceholder}"`)
    .replace(secretObjects, `$1"${secretPlaceholder}"`);
  return foreignText(masked, redact) || undefined;
}
