import type { Alert } from "../attention/alert.ts";
import { relayedFrom } from "../core/event.ts";
import { groupBy } from "../core/group-by.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type Kind, kinds, silentEvents } from "../core/vocabulary.ts";
import { formatPlace, isUnrouted, type JournalLine } from "../journal/journal-line.ts";
import { isMomentaryHold } from "../journal/journal-text.ts";

/** One event's lines in the journal. */
export interface Story {
  readonly id: string;
  /** Time of its first line, Unix milliseconds. */
  readonly atMs: number;
  readonly event: string;
  readonly kind: Kind;
  readonly agent: string;
  /** Project, with the machine if it is another: `shop@devbox`. */
  readonly project: string;
  /** Key shared by all events of a session. */
  readonly session: string;
  readonly title?: string;
  readonly summary?: string;
  readonly turnMs?: number;
  readonly tokens?: number;
  readonly credits?: number;
  /** True if it only repeats another event or belongs to it, so that no route applies. */
  readonly isEcho: boolean;
  /** True if its first line is here; false for an event older than the lines. */
  readonly hasBegun: boolean;
  /** Its lines, oldest first. */
  readonly lines: readonly JournalLine[];
}

/** Groups lines by event, in the order of their first lines. */
export function buildStories(lines: readonly JournalLine[]): Story[] {
  return [...groupBy(lines, ({ id }) => id).values()].map(buildStory);
}

function buildStory(lines: readonly JournalLine[]): Story {
  const [first] = lines as [JournalLine, ...JournalLine[]];
  const accepted = lines.find(({ status }) => status === "accepted") ?? first;
  const { event = "", agent = "" } = accepted;
  const { title, summary, turnMs, tokens, credits } = accepted;
  return {
    ...{ id: first.id, atMs: Date.parse(first.at), event, agent },
    ...{ project: formatPlace(accepted), session: buildSessionKey(accepted) },
    // A postponed event may have been classified again; its last line has the kind.
    kind: readKind(lines.findLast(({ kind }) => kind !== undefined)?.kind),
    ...omitUndefined({ title, summary, turnMs, tokens, credits }),
    isEcho: lines.some(isEchoLine),
    hasBegun: lines.some(({ status, notifier }) => status === "accepted" || (status === "rejected" && !notifier)),
    lines,
  };
}

/** Parts of a line or an alert that identify its session. */
type SessionIdentity = Pick<JournalLine, "agent" | "sessionId" | "project" | "host">;

/** Makes the key of a session from machine, agent and id; without an id, from machine, agent and project. */
export function buildSessionKey({ host = "", agent = "", sessionId, project = "" }: SessionIdentity): string {
  return `${host}\n${agent}\n${sessionId ?? `\n${project}`}`;
}

/** Picks an alert's session as in its journal lines. */
export function readIdentity(alert: Alert): SessionIdentity {
  const { agent, project, sessionId } = alert;
  return { agent, project, ...omitUndefined({ sessionId, host: relayedFrom(alert) }) };
}

function readKind(text: string | undefined): Kind {
  return kinds.find((kind) => kind === text) ?? "info";
}

function isEchoLine({ status, notifier, reason }: JournalLine): boolean {
  return status === "skipped" && notifier === undefined && !isUnrouted(reason);
}

/** Tells if an event counts and is shown: the user's own prompts are not. */
export function isShown({ event, hasBegun }: Pick<Story, "event" | "hasBegun">): boolean {
  return hasBegun && !silentEvents.includes(event);
}

/** Tells if an event ended a turn or a session, and is not an echo of such an end. */
export function isEnd({ kind, isEcho, hasBegun }: Story, outcome: "finished" | "failed"): boolean {
  return kind === outcome && hasBegun && !isEcho;
}

/** Holds that every message may have: a short wait, or a later step that is not due yet. */
const ordinaryHolds = ["wait", "step"];

/** Tells if a line reports a message held back by quiet hours, a snooze or the user's presence. */
export function isHold(line: JournalLine): boolean {
  return line.status === "held" && !ordinaryHolds.includes(line.heldFor ?? "") && !isMomentaryHold(line);
}
