import packageFile from "../../package.json" with { type: "json" };
import { ArgumentError } from "./error.ts";

/** `User-Agent` of the client: its version and Node's. */
export const userAgent = `beckon/${packageFile.version} node/${process.versions.node}`;

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const reserved = new Set(["authorization", "host", "content-length", "transfer-encoding", "connection"]);

/**
 * Checks headers of a caller's own.
 * @throws {ArgumentError} for one that cannot be sent, and for one that is the client's to set
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

/** The service's id of a request, for its support, from the headers of the reply; undefined where it gives none. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  return headers["x-request-id"] ?? headers["request-id"];
}

/** Headers with their names in lower case, so that a caller's replaces the client's. */
export function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
