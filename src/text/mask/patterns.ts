import { secretPlaceholder } from "../secret-placeholder.ts";

// Parts that the rules of this folder are put together from. All are sources of regular expressions.

/** What has been masked already, so that nothing is masked twice. */
export const masked = secretPlaceholder.replace(/[[\]]/g, "\\$&");

/** Right behind an escape that a text may hold as it was written: `\n`, `\u000a`, `%3D`. */
const afterEscape = "(?<=\\\\[nrtbfv0])|(?<=\\\\[xu](?:[0-9a-fA-F]{2}){1,2})|(?<=%[0-9a-fA-F]{2})";

/** Where a token may begin: not within a word, a name with dashes or an underscore. */
export const tokenStart = `(?:(?<![A-Za-z0-9_-])|${afterEscape})`;

/** Where a word may begin; `_` and `-` part words. */
export const wordStart = `(?:(?<![A-Za-z0-9])|${afterEscape})`;

/**
 * A text in quotes, in escaped ones too (`\"…\"` in a JSON string). Two groups: the opening quote, which is group
 * number `group` of the whole expression, and what is inside, 512 characters at most.
 */
export function quotedAs(group: number): string {
  return `(\\\\{0,3}["'\`])([^\\r\\n]{1,512}?)(?=(?<!\\\\)\\${group})`;
}
