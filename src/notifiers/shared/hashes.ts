import { createHash, createHmac } from "node:crypto";

/** Computes the HMAC-SHA-256 of a text, in base64. */
export function hmacBase64(key: string | Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64");
}

/**
 * Computes the first hexadecimal digits of a text's SHA-256.
 * @param digits number of digits; 16 are enough to distinguish the texts of one sender
 */
export function shortHash(text: string, digits = 16): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
