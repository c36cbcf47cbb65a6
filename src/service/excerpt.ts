import { cleanLine, secretPlaceholder } from "../text/clean.ts";

/** Maximum number of characters that an error quotes of a text from the service. */
const maxTextChars = 500;
/** Number of characters at the beginning of a body that an excerpt is made from. */
const maxBodyChars = 4096;

/** Function that removes the key from a text that the service sent. */
export type Redact = (text: string) => string;

/**
 * Makes a text from the service safe to show, on one line of at most 500 characters. Removes the key first, because
 * cleaning or cutting could leave a part of the key.
 */
export function foreignText(text: string, redact: Redact): string {
  return redact(cleanLine(redact(text)))
    .slice(0, maxTextChars)
    .toWellFormed();
}

/** Makes the headers of a reply safe to show. Leaves out cookies, which may be secrets. */
export function foreignHeaders(headers: Readonly<Record<string, string>>, redact: Redact): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => name !== "set-cookie");
  return Object.fromEntries(shown.map(([name, value]) => [name, redact(cleanLine(redact(value)))]));
}

const secretTexts = /("[^"]*(?:key|secret|token|password|credentials?|authorization)"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi;
const secretObjects = /("\w*headers"\s*:\s*)\{[^}]*\}?/gi;

/**
 * Makes the beginning of a reply's body safe to show, in at most 500 characters; undefined for an empty body. HTTP
 * headers in the body, and JSON fields with names of secrets, become `[secret]`.
 */
export function buildExcerpt(body: string, redact: Redact): string | undefined {
  const masked = redact(body)
    .slice(0, maxBodyChars)
    .replace(secretTexts, `$1"${secretPlaceholder}"`)
    .replace(secretObjects, `$1"${secretPlaceholder}"`);
  return foreignText(masked, redact) || undefined;
}
