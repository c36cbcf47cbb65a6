import { readStoredField, type StoredText } from "../journal/journal-files.ts";
import { dayMs } from "../text/time.ts";

/** Prefix of the session ids in beckon's own sample events, which `install`, `demo` and `relay` send. */
export const sampleSessionPrefix = "beckon-install-";

/** Time for which a session is remembered and shown after its last event: a day, in milliseconds. */
export const sessionMemoryMs = dayMs;

/** True for the session id of a sample event. beckon itself sends such events, not an agent. */
export function isSampleSession(sessionId: string | undefined): boolean {
  return sessionId?.startsWith(sampleSessionPrefix) === true;
}

/** True for a stored line of a real session, not of a sample that `demo`, `test` or `install` sent. */
export function isOfRealSession(line: StoredText): boolean {
  return !isSampleSession(readStoredField(line, "sessionId"));
}
