import { kinds } from "../../core/vocabulary.ts";
import { type Envelope, readKind } from "../envelope.ts";

/** Stream that carries events. */
export const streamName = "BECKON";
/** Bucket of the team's open sessions: `<team>.<person>.<host>.<session's key>`. */
export const sessionsBucket = "beckon-sessions";
/** Bucket of seen events: `<team>.<event id>`. */
export const seenBucket = "beckon-acks";
/**
 * Names the stream in which the server keeps a bucket.
 * https://github.com/nats-io/nats-architecture-and-design/blob/main/adr/ADR-8.md
 */
export function bucketStream(bucket: string): string {
  return `KV_${bucket}`;
}

/** Disk space of each of the two buckets, bytes. The server reserves it at once. */
export const bucketBytes = 64 * 1024 * 1024;
/** Group of a user's receivers; one of them at a time gets the events. */
export const receiverGroup = "receiver";

/** Last words of subjects: an event's kind, or `state`. */
export const subjectWords = [...kinds, "state"] as const;
type SubjectWord = (typeof subjectWords)[number];

/** Token of a subject. Team and person names have no `_`, which joins them in the name of a durable consumer. */
export const hostToken = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
export const nameToken = /^[A-Za-z0-9][A-Za-z0-9-]{0,30}$/;

/** Sender and recipient of events. */
export interface Route {
  readonly team: string;
  readonly person: string;
  /** Name of the sending machine, from its invitation. */
  readonly host: string;
}

const prefix = "beckon.v1";

/** Subjects of the whole stream. */
export const allSubjects = `${prefix}.*.*.*.*`;

/** Builds a subject, `beckon.v1.team.alice.ci-7.needs-you`, without wildcards so that permissions can list each. */
export function buildSubject({ team, person, host }: Route, word: SubjectWord): string {
  return [prefix, team, person, host, word].join(".");
}

/** Builds the wildcard for all subjects of events to a user. */
export function subjectsTo({ team, person }: Pick<Route, "team" | "person">): string {
  return [prefix, team, person, ">"].join(".");
}

/** Parses sender and recipient from a subject; undefined for other subjects. */
export function readSubject(subject: string): Route | undefined {
  const [, team, person, host] = /^beckon\.v1\.([^.]+)\.([^.]+)\.([^.]+)\.[^.]+$/.exec(subject) ?? [];
  return team === undefined || person === undefined || host === undefined ? undefined : { team, person, host };
}

/** Names the durable consumer of a user's receivers. */
export function buildDurableName({ team, person }: Pick<Route, "team" | "person">): string {
  return `${team}_${person}`;
}

/** Picks the last word of an envelope's subject. */
export function toSubjectWord(type: Envelope["type"]): SubjectWord {
  return readKind(type) ?? "state";
}
