import { createHmac } from "node:crypto";

/** HMAC-SHA-256 in base64, as services sign with. */
export function hmacBase64(key: string | Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64");
}
