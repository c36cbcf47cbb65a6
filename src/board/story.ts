import type { Alert } from "../attention/alert.ts";
import { relayedFrom } from "../core/event.ts";
import { groupBy } from "../core/group-by.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type Kind, kinds, silentEvents } from "../core/vocabulary.ts";
import { isUnrouted, type JournalLine, placeOf } from "../journal/journal-line.ts";
import { isMoment } from "../journal/journal-text.ts";

/** What the journal says of one event. */
export interface Story {
  readonly id: string;
  /** When its first line was written, Unix milliseconds. */
  readonly atMs: number;
  readonly event: string;
  readonly kind: Kind;
  readonly agent: string;
  /** With the machine, where it is another: `shop@devbox`. */
  readonly project: string;
  /** The same for all events of a session. */
  readonly session: string;
  readonly title?: string;
  readonly summary?: string;
  readonly turnMs?: number;
  readonly tokens?: number;
  readonly credits?: number;
  /** Whether it only repeats or belongs to another: nobody was to be told, whatever the routes say. */
  readonly isEcho: boolean;
  /** Whether its first line is here: of an event that is older than the lines only what came later is known. */
  readonly hasBegun: boolean;
  /** Oldest first. */
  readonly lines: readonly JournalLine[];
}

/** The events that lines tell of, in the order of their first lines. */
export function storiesOf(lines: readonly JournalLine[]): Story[] {
  return [...groupBy(lines, ({ id }) => id).values()].map(storyOf);
}

function storyOf(lines: readonly JournalLine[]): Story {
  const [first] = lines as [JournalLine, ...JournalLine[]];
  const accepted = lines.find(({ status }) => status === "accepted") ?? first;
  const { event = "", agent = "" } = accepted;
  const { title, summary, turnMs, tokens, credits } = accepted;
  return {
    ...{ id: first.id, atMs: Date.parse(first.at), event, agent },
    ...{ project: placeOf(accepted), session: sessionOf(accepted) },
    // What was put off may have been judged anew: its last line knows.
    kind: kindOf(lines.findLast(({ kind }) => kind !== undefined)?.kind),
    ...omitUndefined({ title, summary, turnMs, tokens, credits }),
    isEcho: lines.some(isEchoLine),
    hasBegun: lines.some(({ status, notifier }) => status === "accepted" || (status === "rejected" && !notifier)),
    lines,
  };
}

/** What of a line, or of an alert, tells its session from others. */
type SessionIdentity = Pick<JournalLine, "agent" | "sessionId" | "project" | "host">;

/** A session by machine, agent and id; without an id, all that an agent does in a project. */
export function sessionOf({ host = "", agent = "", sessionId, project = "" }: SessionIdentity): string {
  return `${host}\n${agent}\n${sessionId ?? `\n${project}`}`;
}

/** An alert's session, as its lines in the journal have it. */
export function identityIn(alert: Alert): SessionIdentity {
  const { agent, project, sessionId } = alert;
  return { agent, project, ...omitUndefined({ sessionId, host: relayedFrom(alert) }) };
}

function kindOf(text: string | undefined): Kind {
  return kinds.find((kind) => kind === text) ?? "info";
}

function isEchoLine({ status, notifier, reason }: JournalLine): boolean {
  return status === "skipped" && notifier === undefined && !isUnrouted(reason);
}

/** Whether an event counts, and a person may want to read of it: not of their own prompts. */
export function isShown({ event, hasBegun }: Pick<Story, "event" | "hasBegun">): boolean {
  return hasBegun && !silentEvents.includes(event);
}

/** Whether an event was an end of its own of a turn or a session, and not an echo of one. */
export function isEnd({ kind, isEcho, hasBegun }: Story, of: "finished" | "failed"): boolean {
  return kind === of && hasBegun && !isEcho;
}

/** What holds every message for a moment, or is a later step that is not due yet. */
const ordinaryHolds = ["wait", "step"];

/** Whether a line says that a message was kept from the person for a reason: quiet hours, a snooze, where they are. */
export function isHold(line: JournalLine): boolean {
  return line.status === "held" && !ordinaryHolds.includes(line.heldFor ?? "") && !isMoment(line);
}
