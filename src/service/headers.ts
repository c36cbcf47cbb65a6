import { ArgumentError } from "./error.ts";

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const reserved = new Set(["authorization", "host", "content-length", "transfer-encoding", "connection"]);

/**
 * Checks a caller's headers.
 * @throws {ArgumentError} for a header that cannot be sent or is reserved for the client
 */
export function checkHeaders(headers: unknown): void {
  if (headers === undefined) return;
  if (typeof headers !== "object" || headers === null)
    throw new ArgumentError("headers", "`headers` must be an object");
  for (const [name, value] of Object.entries(headers)) {
    const isSendable = typeof value === "string" && /^[\t\x20-\x7e]*$/.test(value) && namePattern.test(name);
    if (isSendable && !reserved.has(name.toLowerCase())) continue;
    const why = isSendable ? "is set by the client" : "must be a name and a text of printable ASCII";
    throw new ArgumentError("headers", `\`headers\`: ${JSON.stringify(name.slice(0, 50))} ${why}`);
  }
}

/** Reads the service's id of a request, for support, from the reply's headers. */
export function readRequestId(headers: Readonly<Record<string, string>>): string | undefined {
  return headers["x-request-id"] ?? headers["request-id"];
}

/** Converts header names to lower case, so that a caller's header replaces the client's header of the same name. */
export function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
