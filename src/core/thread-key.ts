import { createHash } from "node:crypto";

/** What holds the messages of one session together where they are shown: it says nothing of the session. 32 hex digits. */
export function threadKey(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
}
