import { createHash, createHmac } from "node:crypto";

/** Computes the HMAC-SHA-256 of a text, in base64. */
export function hmacBase64(key: string | Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64");
}

/** Computes the first 16 hexadecimal digits of a text's SHA-256: enough to distinguish the texts of one sender. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Derives the key of a session's message thread, 32 hexadecimal digits. The key does not reveal the session's id. */
export function threadKey(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
}
