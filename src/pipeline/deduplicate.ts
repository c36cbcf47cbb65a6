import { createHash } from "node:crypto";

/** Tells a notifier's settings, references unresolved, from others. */
export function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("base64url");
}
