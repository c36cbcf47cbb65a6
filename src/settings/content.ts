import { createHash } from "node:crypto";

/** A file's complete content; undefined: there is no file. */
export type Content = Buffer | undefined;

/** Whether two contents are the same bytes, or both are none. */
export function sameContent(a: Content, b: Content): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

/** SHA-256 in hex. */
export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}
