import { statSync } from "node:fs";
import { quietly } from "../core/quietly.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { type Alert, type Concern, isResolvedByUser } from "./alert.ts";

/** Activity of a session without open concerns. `waiting (seen)`: the user saw a request but has not answered it. */
export type ActivityState = "working" | "waiting (seen)" | "done" | "ended";

/** Returns the activity of a session without open concerns, and its beginning in Unix milliseconds. */
export function describeActivity(alert: Alert): { readonly state: ActivityState; readonly sinceMs: number } {
  const { lastEvent, lastAtMs, promptedAtMs = 0, concerns } = alert;
  const last = concerns.at(-1);
  if (lastEvent === "SessionEnd" || last?.resolvedBy === "agent gone") return { state: "ended", sinceMs: lastAtMs };
  if (lastEvent === "Stop" || lastEvent === "StopFailure") return { state: "done", sinceMs: lastAtMs };
  if (last && isUnanswered(last, alert)) return { state: "waiting (seen)", sinceMs: last.atMs };
  const answeredAtMs = lastEvent === promptEvent ? 0 : (last?.resolvedAtMs ?? 0);
  return { state: "working", sinceMs: Math.max(promptedAtMs, answeredAtMs) || lastAtMs };
}

/** True if the user has marked a request as seen but not answered it: the session has done nothing since then. */
function isUnanswered(concern: Concern, { lastAtMs, isRelayed, transcriptPath }: Alert): boolean {
  const { kind, atMs, transcriptBytes } = concern;
  if (kind !== "needs-you" || !isResolvedByUser(concern) || lastAtMs > atMs) return false;
  if (isRelayed || transcriptPath === undefined || transcriptBytes === undefined) return true;
  const size = quietly(() => statSync(transcriptPath).size) ?? 0; // without one, nothing says that the session went on
  return size <= transcriptBytes;
}
