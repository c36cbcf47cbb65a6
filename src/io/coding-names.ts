import { succeeds } from "../core/quietly.ts";

/** Maximum number of content codings of a body that is decoded. Each coding multiplies the work. */
const maxCodings = 3;
/** Content codings that beckon can decode: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1 */
const known = new Set(["gzip", "x-gzip", "deflate", "br"]);

/** Lists the codings in a `Content-Encoding` header, in the order in which they were applied. Leaves out `identity`. */
export function listCodings(header: string): string[] {
  const names = header.toLowerCase().split(",");
  return names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
}

/** Returns the names of the codings if they cannot be decoded; undefined if they can. */
export function findUnknown(codings: readonly string[]): string | undefined {
  const isKnown = codings.length <= maxCodings && codings.every((name) => known.has(name));
  return isKnown ? undefined : codings.join(", ").slice(0, 100);
}

/** Returns the names of the codings that `fetch` could not decode and left in a body; undefined if there are none. */
export function findUndecoded(header: string | null, bytes: Uint8Array): string | undefined {
  // A body that was decoded is UTF-8.
  if (header === null || succeeds(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes))) return undefined;
  return findUnknown(listCodings(header));
}
