/** What a terminal could take for a command, and what lets text run backwards, as far as JSON leaves it as it is. */
const escaped = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** A value as JSON on one line, the same value for every parser, harmless where it is shown. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(escaped, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
