/** Matches control characters and text direction marks that JSON does not escape. */
const escaped = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** Formats a value as JSON on one line, safe to print on a terminal. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(escaped, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** Option of a command that prints its result for programs if asked to. */
export interface JsonOption {
  readonly json?: boolean;
}

/** Rounds every duration of an object: its numbers whose names end in `Ms`. */
export function withWholeMs<T extends object>(value: T): T {
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === "number" && name.endsWith("Ms") ? Math.round(field) : field,
  ]);
  return Object.fromEntries(entries) as T;
}

/**
 * Formats an instant for programs, ISO 8601 in UTC.
 * @param ms Unix milliseconds
 */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Formats an instant that may be unknown, ISO 8601 in UTC.
 * @param ms Unix milliseconds
 */
export function formatInstant(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toInstant(ms);
}
