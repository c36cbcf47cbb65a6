import { kinds } from "../../core/vocabulary.ts";
import { type Envelope, kindOf } from "../envelope.ts";

/** How the objects of a NATS server are called that carry events, and who is who in their subjects. */
export const streamName = "BECKON";
/** What waits for whom, for all of a team: `<team>.<person>.<host>.<session's key>`. */
export const sessionsBucket = "beckon-sessions";
/** What was seen, by whom: `<team>.<id of the event>`. */
export const seenBucket = "beckon-acks";
/**
 * The stream in which the server keeps a bucket.
 * https://github.com/nats-io/nats-architecture-and-design/blob/main/adr/ADR-8.md
 */
export function bucketStream(bucket: string): string {
  return `KV_${bucket}`;
}

/** What each of the two may take of the disk, bytes; the server reserves it at once. */
export const bucketBytes = 64 * 1024 * 1024;
/** The group of a person's receivers, of which one at a time gets the events. */
export const receiverGroup = "receiver";

/** The last word of a subject: an event's kind, or that it tells what became of events. */
export const subjectWords = [...kinds, "state"] as const;
type SubjectWord = (typeof subjectWords)[number];

/** A part of a subject. One of a team or person has no `_`, which joins the two in the name of a durable consumer. */
export const hostToken = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
export const nameToken = /^[A-Za-z0-9][A-Za-z0-9-]{0,30}$/;

/** Who sends what to whom. */
export interface Route {
  readonly team: string;
  readonly person: string;
  /** The machine that sends, as it is called in its invitation. */
  readonly host: string;
}

const prefix = "beckon.v1";

/** All that goes through the stream. */
export const allSubjects = `${prefix}.*.*.*.*`;

/** `beckon.v1.team.alice.ci-7.needs-you`: literal, so that rights can name each. */
export function subjectOf({ team, person, host }: Route, word: SubjectWord): string {
  return [prefix, team, person, host, word].join(".");
}

/** The subjects of all that is sent to a person. */
export function subjectsTo({ team, person }: Pick<Route, "team" | "person">): string {
  return [prefix, team, person, ">"].join(".");
}

/** Who sends what to whom, by a subject; undefined for one of another shape. */
export function readSubject(subject: string): Route | undefined {
  const [, team, person, host] = /^beckon\.v1\.([^.]+)\.([^.]+)\.([^.]+)\.[^.]+$/.exec(subject) ?? [];
  return team === undefined || person === undefined || host === undefined ? undefined : { team, person, host };
}

/** The durable consumer of a person's receivers. */
export function durableOf({ team, person }: Pick<Route, "team" | "person">): string {
  return `${team}_${person}`;
}

/** The last word of the subject of an envelope. */
export function wordOf(type: Envelope["type"]): SubjectWord {
  return kindOf(type) ?? "state";
}
