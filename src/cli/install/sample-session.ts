import { randomBytes } from "node:crypto";

const prefix = "beckon-install-";

/** A session id for a sample event of the installer's. */
export function newSampleSession(): string {
  return prefix + randomBytes(6).toString("hex");
}

/** Whether an event came from the installer: it proves nothing about the agent. */
export function isSample({ sessionId }: { readonly sessionId?: string | undefined }): boolean {
  return sessionId?.startsWith(prefix) === true;
}
