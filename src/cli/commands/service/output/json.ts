/** Control characters and marks of text direction that JSON does not escape. */
const escaped = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** A value as JSON on one line that is safe to print on a terminal, and parses to the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(escaped, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
