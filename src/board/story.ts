import type { Alert } from "../attention/alert.ts";
import { type JournalledSession, journalKey } from "../attention/session-keys.ts";
import { relayedFrom } from "../core/event.ts";
import { groupBy } from "../core/group-by.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type Kind, kinds, silentEvents } from "../core/vocabulary.ts";
import { findArrival, formatPlace, isUnrouted, type JournalLine } from "../journal/journal-line.ts";
import { isMomentaryHold, isUnsupported } from "../journal/journal-text.ts";

/** An event, with its lines in the journal. */
export interface Story extends Pick<JournalLine, "title" | "summary" | "turnMs" | "tokens" | "credits"> {
  readonly id: string;
  /** Time of the event's arrival, Unix milliseconds. */
  readonly atMs: number;
  readonly event: string;
  readonly kind: Kind;
  readonly agent: string;
  /** Project name, followed by the host name for another machine: `shop@devbox`. */
  readonly project: string;
  /** Key that all events of a session share. */
  readonly session: string;
  /**
   * True if the whole event was skipped, such as an echo or a sub-agent's end. An event without a route does not count.
   */
  readonly isEcho: boolean;
  /** True if `lines` contains the event's first line; false if the event began earlier. */
  readonly hasBegun: boolean;
  /** Journal lines of the event, oldest first. */
  readonly lines: readonly JournalLine[];
}

/** Groups journal lines into events, in the order of their arrival. */
export function buildStories(lines: readonly JournalLine[]): Story[] {
  return [...groupBy(lines, ({ id }) => id).values()].map(buildStory).sort((a, b) => a.atMs - b.atMs);
}

function buildStory(lines: readonly JournalLine[]): Story {
  const [first] = lines as [JournalLine, ...JournalLine[]];
  const accepted = lines.find(({ status }) => status === "accepted") ?? first;
  const last = lines.findLast(({ kind }) => kind !== undefined);
  const { event = "", agent = "" } = accepted;
  const { title, summary, turnMs, tokens, credits } = accepted;
  return {
    ...{ id: first.id, atMs: Date.parse(findArrival(lines)), event, agent },
    ...{ project: formatPlace(accepted), session: journalKey(accepted) },
    // A postponed event may be classified twice, so take the kind from its last line.
    kind: kinds.find((kind) => kind === last?.kind) ?? "info",
    ...omitUndefined({ title, summary, turnMs, tokens, credits }),
    isEcho: lines.some(
      ({ status, notifier, reason }) => status === "skipped" && notifier === undefined && !isUnrouted(reason),
    ),
    hasBegun: lines.some(({ status, notifier }) => status === "accepted" || (status === "rejected" && !notifier)),
    lines,
  };
}

/** Returns the fields that identify an alert's session, as in its journal lines. */
export function readIdentity(alert: Alert): JournalledSession {
  const { agent, project, sessionId } = alert;
  return { agent, project, ...omitUndefined({ sessionId, host: relayedFrom(alert) }) };
}

/** Tells if an event is counted and shown. The user's own prompts, and events that began earlier, are not. */
export function isShown({ event, hasBegun }: Pick<Story, "event" | "hasBegun">): boolean {
  return hasBegun && !silentEvents.includes(event);
}

/** Tells if an event ended a turn or a session with this outcome. Skipped events do not count. */
export function isEnd({ kind, isEcho, hasBegun }: Story, outcome: "finished" | "failed"): boolean {
  return kind === outcome && hasBegun && !isEcho;
}

/** Values of `heldFor` for ordinary holds: a short wait before every message, or a later step that is not due yet. */
const ordinaryHolds = ["wait", "step"];

/**
 * Lists the lines that report a message held back by quiet hours, a snooze or the user's presence. Leaves out messages
 * that their notifier could not deliver on this machine afterwards.
 */
export function listHolds(lines: readonly JournalLine[]): JournalLine[] {
  const toKey = ({ id, notifier = "" }: JournalLine): string => `${id} ${notifier}`;
  const useless = new Set(lines.filter(isUnsupported).map(toKey));
  return lines.filter(
    (line) =>
      line.status === "held" &&
      !ordinaryHolds.includes(line.heldFor ?? "") &&
      !isMomentaryHold(line) &&
      !useless.has(toKey(line)),
  );
}

/** Section of an event's story: a title and a table. */
export interface StorySection {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}
