import { cleanLine } from "../text/clean.ts";
import { secretPlaceholder } from "../text/secret-placeholder.ts";

/** Most characters of a service's text in an error. */
const maxTextChars = 500;
/** Part of a body used for an excerpt, characters. */
const maxBodyChars = 4096;

/** Function that removes the key from a text of the service. */
export type Redact = (text: string) => string;

/**
 * Makes a text of the service safe to show; at most 500 characters on one line. Removes the key first, because cleaning
 * or cutting could leave a part of it.
 */
export function foreignText(text: string, redact: Redact): string {
  return redact(cleanLine(redact(text)))
    .slice(0, maxTextChars)
    .toWellFormed();
}

const secretTexts = /("[^"]*(?:key|secret|token|password|credentials?|authorization)"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi;
const secretObjects = /("\w*headers"\s*:\s*)\{[^}]*\}?/gi;

/**
 * Makes the beginning of a reply's body safe to show, at most 500 characters; undefined for an empty body. Headers, and
 * JSON texts named as secrets, are shown as `[secret]`.
 */
export function buildExcerpt(body: string, redact: Redact): string | undefined {
  const masked = redact(body)
    .slice(0, maxBodyChars)
    .replace(secretTexts, `$1"${secretPlaceholder}"`)
    .replace(secretObjects, `$1"${secretPlaceholder}"`);
  return foreignText(masked, redact) || undefined;
}
