import { secretPlaceholder } from "../secret-placeholder.ts";

// Parts of the rules in this folder, all as sources of regular expressions.

/** Already masked text, which must not be masked again. */
export const masked = secretPlaceholder.replace(/[[\]]/g, "\\$&");

/** Right after an escape in the text: `\n`, `\u000a`, `%3D`. */
const afterEscape = "(?<=\\\\[nrtbfv0])|(?<=\\\\[xu](?:[0-9a-fA-F]{2}){1,2})|(?<=%[0-9a-fA-F]{2})";

/** Start of a token: not within a word, or after a dash or an underscore. */
export const tokenStart = `(?:(?<![A-Za-z0-9_-])|${afterEscape})`;

/** Start of a word; `_` and `-` separate words. */
export const wordStart = `(?:(?<![A-Za-z0-9])|${afterEscape})`;

/**
 * Returns a pattern for quoted text, also with escaped quotes (`\"…\"` in a JSON string). Two groups: the opening
 * quote, which is group number `group` of the whole expression, and the content, 512 characters at most.
 */
export function quotedAs(group: number): string {
  return `(\\\\{0,3}["'\`])([^\\r\\n]{1,512}?)(?=(?<!\\\\)\\${group})`;
}
