import type { Alert } from "../attention/alert.ts";
import { promptEvent } from "../core/vocabulary.ts";

/** What a session does of which nothing waits for the person, and since when, Unix milliseconds. */
export function activityOf(alert: Alert): { readonly state: "working" | "done" | "ended"; readonly sinceMs: number } {
  const { lastEvent, lastAtMs, promptedAtMs = 0, concerns } = alert;
  const last = concerns.at(-1);
  if (lastEvent === "SessionEnd" || last?.resolvedBy === "agent gone") return { state: "ended", sinceMs: lastAtMs };
  if (lastEvent === "Stop" || lastEvent === "StopFailure") return { state: "done", sinceMs: lastAtMs };
  const answeredAtMs = lastEvent === promptEvent ? 0 : (last?.resolvedAtMs ?? 0);
  return { state: "working", sinceMs: Math.max(promptedAtMs, answeredAtMs) || lastAtMs };
}
