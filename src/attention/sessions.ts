import { ownAgent } from "../core/event.ts";
import { groupBy } from "../core/group-by.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";
import type { Paths } from "../files/paths.ts";
import { clean, cleanLine, oneLine } from "../text/clean.ts";
import { cutCounted, uniqueLengths } from "../text/cut.ts";
import { mask } from "../text/mask/mask.ts";
import { summarize } from "../text/summary.ts";
import { type Alert, type Concern, openConcerns } from "./alert.ts";
import { alertFolder, readAlerts } from "./alert-files.ts";
import { isSampleSession, sessionMemoryMs } from "./session-memory.ts";

/** Concern that waits for the user, with its session. */
export interface Waiting {
  readonly alert: Alert;
  readonly concern: Concern;
}

/** Reads the sessions that had an event within the last day, newest first. Leaves out sample sessions. */
export function readSessions({ state }: Pick<Paths, "state">, nowMs: number): readonly Alert[] {
  return selectRecent(readAlerts(alertFolder({ state })), nowMs).sort((a, b) => b.lastAtMs - a.lastAtMs);
}

/** Selects the sessions that had an event within the last day. Leaves out sample sessions. */
export function selectRecent(alerts: readonly Alert[], nowMs: number): Alert[] {
  return alerts.filter(({ lastAtMs, sessionId }) => nowMs - lastAtMs < sessionMemoryMs && !isSampleSession(sessionId));
}

/** Lists the concerns that wait for the user: requests, then failures, then ended turns, each kind oldest first. */
export function listWaiting(sessions: readonly Alert[]): readonly Waiting[] {
  const rankUrgency = ({ concern }: Waiting): number => kinds.indexOf(concern.kind);
  return sessions
    .flatMap((alert) => openConcerns(alert).map((concern) => ({ alert, concern })))
    .sort((a, b) => rankUrgency(a) - rankUrgency(b) || a.concern.atMs - b.concern.atMs);
}

/** Divides what waits into requests, and turns and sessions that have ended or failed, each with a title for people. */
export function divideWaiting(waiting: readonly Waiting[]) {
  const isRequest = ({ concern }: Waiting): boolean => concern.kind === "needs-you";
  return {
    requests: { title: "Waiting for you", items: waiting.filter(isRequest) },
    ended: { title: "Ended, not seen yet", items: waiting.filter((item) => !isRequest(item)) },
  };
}

/** Lists the waiting sessions, the most urgent first, each with the start of its longest wait, Unix milliseconds. */
export function listWaits(sessions: readonly Alert[]): readonly (readonly [alert: Alert, sinceMs: number])[] {
  const longest = new Map<Alert, number>();
  for (const { alert, concern } of listWaiting(sessions)) {
    longest.set(alert, Math.min(concern.atMs, longest.get(alert) ?? concern.atMs));
  }
  return [...longest];
}

/** Lists the sessions that have no concern waiting for the user, without beckon's own messages and commands. */
export function listIdleSessions(sessions: readonly Alert[]): readonly Alert[] {
  return sessions.filter((alert) => openConcerns(alert).length === 0 && alert.agent !== ownAgent);
}

/** Finds sessions by the beginning of their id or by the name of their project. */
export function findSessions(sessions: readonly Alert[], word: string): readonly Alert[] {
  return sessions.filter(({ sessionId, project }) => sessionId?.startsWith(word) === true || project === word);
}

/** Returns a session's title in one line, with secrets masked; empty without a title. */
export function readTitle({ title = "" }: Alert): string {
  return cleanLine(mask(title));
}

const maxReadChars = 8_192;
/** Number of characters in which secrets are masked before the text is cut, because half a secret is not recognized. */
const maxMaskedChars = 2 * maxReadChars;

/**
 * Describes an event, with secrets masked: a request in its lines, or an answer in one line. Reads 8,192 characters,
 * of an answer half of them at its end.
 * @param asked the agent's request, which takes precedence over its answer
 */
export function describeEvent(event: Concern["event"], facts: Concern["facts"], asked?: string): string {
  const { headline, program, message, lastMessage } = event;
  const own = headline ?? asked;
  const said = own ?? facts.lastMessage ?? lastMessage ?? facts.summary ?? message;
  const text = [program, said].filter(Boolean).join(": ");
  const start = mask(text.slice(0, maxMaskedChars));
  if (own !== undefined) return clean(start.slice(0, maxReadChars));
  if (text.length <= maxReadChars) return summarize(start);
  const end = mask(text.slice(-maxMaskedChars));
  return summarize(`${start.slice(0, maxReadChars / 2)}\n\n${end.slice(-maxReadChars / 2)}`);
}

/** Describes a concern, with secrets masked: the agent's request in its lines, or the result of a turn in one line. */
export function describeConcern({ kind, event, facts }: Concern): string {
  return describeEvent(event, facts, kind === "needs-you" ? event.message : undefined);
}

/** Maximum length of a concern in one line, in graphemes. */
const maxLineGraphemes = 400;

/** Describes a concern in one line, with secrets masked. May be empty. */
export function summarizeConcern(concern: Concern): string {
  return cutCounted(oneLine(describeConcern(concern)), maxLineGraphemes, "graphemes");
}

/** Session that waits for a member of the team. */
export interface TeamSession {
  /** Name of the team member for whom the session waits. */
  readonly person: string;
  /** Host name of the machine on which the session's agent runs. */
  readonly host: string;
  /** Unique key of the session. */
  readonly key: string;
  /** Kind of the session's most urgent open concern. */
  readonly kind: Kind;
  readonly agent: string;
  readonly project: string;
  readonly title?: string | undefined;
  /** Arrival time of the oldest open concern of that kind, Unix milliseconds. */
  readonly atMs: number;
  /** True if it is this machine that shares the session with the team. */
  readonly isOwn: boolean;
}

/** Least number of characters shown of a session's id. */
const shownIdChars = 4;

/** Makes a function that returns the start of a session's id if another session has its project, machine and agent. */
export function distinguish(alerts: readonly Alert[]): (alert: Alert) => string {
  const joinNames = ({ project, host, agent }: Alert) => [project, host, agent].join("\0");
  const known = groupBy([...new Set(alerts)], joinNames);
  const lengths = uniqueLengths([...new Set(alerts.flatMap(({ sessionId }) => sessionId ?? []))], shownIdChars);
  return (alert) => {
    const { sessionId = "" } = alert;
    const isAlone = (known.get(joinNames(alert))?.length ?? 0) < 2;
    return isAlone ? "" : cleanLine(sessionId.slice(0, lengths.get(sessionId))).replace(/-$/, "");
  };
}
