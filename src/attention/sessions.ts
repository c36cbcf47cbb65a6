import { isSampleSession, kinds } from "../core/vocabulary.ts";
import type { Paths } from "../files/paths.ts";
import { cleanLine } from "../text/clean.ts";
import { mask } from "../text/mask/mask.ts";
import { summarize } from "../text/summary.ts";
import { type Alert, type Concern, openConcerns, sessionMemoryMs } from "./alert.ts";
import { alertFolder, readAlerts } from "./alert-files.ts";

/** A session, and one thing of it that waits for the person. */
export interface Waiting {
  readonly alert: Alert;
  readonly concern: Concern;
}

/** The sessions of which something was heard within a day, the one heard of last first; no samples. */
export function readSessions({ state }: Pick<Paths, "state">, nowMs: number): readonly Alert[] {
  return readAlerts(alertFolder({ state }))
    .filter(({ lastAtMs, sessionId }) => nowMs - lastAtMs < sessionMemoryMs && !isSampleSession(sessionId))
    .sort((a, b) => b.lastAtMs - a.lastAtMs);
}

/**
 * What waits for the person: what needs them first, then what failed, then what finished; of a kind, the longest first.
 */
export function waitingIn(sessions: readonly Alert[]): readonly Waiting[] {
  const urgencyOf = ({ concern }: Waiting): number => kinds.indexOf(concern.kind);
  return sessions
    .flatMap((alert) => openConcerns(alert).map((concern) => ({ alert, concern })))
    .sort((a, b) => urgencyOf(a) - urgencyOf(b) || a.concern.atMs - b.concern.atMs);
}

/** The sessions of which nothing waits for the person. */
export function othersIn(sessions: readonly Alert[]): readonly Alert[] {
  return sessions.filter((alert) => openConcerns(alert).length === 0);
}

/** The sessions that a word means: by the beginning of their ids, or by the name of their project. */
export function sessionsNamed(sessions: readonly Alert[], word: string): readonly Alert[] {
  return sessions.filter(({ sessionId, project }) => sessionId?.startsWith(word) === true || project === word);
}

/** A session's title in one line without secrets; empty where it has none. */
export function titleIn({ title = "" }: Alert): string {
  return cleanLine(mask(title));
}

const maxReadChars = 8_192;

/**
 * Reads the text that says best what an event is about, its first 8,192 characters, with secrets masked.
 * @param asked the request as the agent put it, if it comes first
 */
export function readText({ message, lastMessage }: Concern["event"], facts: Concern["facts"], asked?: string): string {
  const text = asked ?? facts.lastMessage ?? lastMessage ?? facts.summary ?? message ?? "";
  return mask(text.slice(0, maxReadChars));
}

/** What waits, in one line without secrets: the request as the agent put it, or what a turn came to. May be empty. */
export function saidIn({ kind, event, facts }: Concern): string {
  const request = kind === "needs-you" ? event.message : undefined;
  const text = readText(event, facts, request);
  return cleanLine(request === undefined ? summarize(text) : text);
}
