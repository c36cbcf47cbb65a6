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

/** Makes the headers of a reply safe to show. Cookies may be secrets, so they are left out. */
export function foreignHeaders(headers: Readonly<Record<string, string>>, redact: Redact): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => name !== "set-cookie");
  return Object.fromEntries(shown.map(([name, value]) => [name, redact(cleanLine(redact(value)))]));
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
