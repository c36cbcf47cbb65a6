import { secretPlaceholder } from "../secret-placeholder.ts";

// Parts of the rules in this folder, all as sources of regular expressions.

/** Pattern for text that is already masked, and must not be masked again. */
export const masked = secretPlaceholder.replace(/[[\]]/g, "\\$&");

/** Pattern for a position right after an escape in the text, such as `\n`, `\u000a` or `%3D`. */
const afterEscape = "(?<=\\\\[nrtbfv0])|(?<=\\\\[xu](?:[0-9a-fA-F]{2}){1,2})|(?<=%[0-9a-fA-F]{2})";

/** Pattern for the start of a token: neither within a word nor after a dash or an underscore. */
export const tokenStart = `(?:(?<![A-Za-z0-9_-])|${afterEscape})`;

/** Pattern for the start of a word. `_` and `-` separate words. */
export const wordStart = `(?:(?<![A-Za-z0-9])|${afterEscape})`;

/**
 * Returns a pattern for quoted text, also with escaped quotes (`\"…\"` in a JSON string). It has two groups: the
 * opening quote, which must be group number `group` of the whole expression, and the content, at most 512 characters.
 */
export function quotedAs(group: number): string {
  return `(\\\\{0,3}["'\`])([^\\r\\n]{1,512}?)(?=(?<!\\\\)\\${group})`;
}
