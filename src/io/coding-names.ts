/**
 * Maximum number of codings of a body. A body with more is refused, because each coding multiplies the work of
 * decoding.
 */
const maxCodings = 3;
/** Codings that beckon decodes: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1 */
const known = new Set(["gzip", "x-gzip", "deflate", "br"]);

/** Lists the codings of a body, in the order they were applied. */
export function listCodings(header: string): string[] {
  const names = header.toLowerCase().split(",");
  return names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
}

/** Names the codings that cannot be decoded; undefined if all codings can be decoded. */
export function findUnknown(codings: readonly string[]): string | undefined {
  const isKnown = codings.length <= maxCodings && codings.every((name) => known.has(name));
  return isKnown ? undefined : codings.join(", ").slice(0, 100);
}

/** Names the coding of a body that `fetch` should have decoded and did not; undefined for a text. */
export function findUndecoded(header: string | null, bytes: Uint8Array): string | undefined {
  return header === null || isUtf8(bytes) ? undefined : findUnknown(listCodings(header));
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
