import { kinds } from "../../core/vocabulary.ts";

/** Stream that carries events. */
export const streamName = "BECKON";
/** Bucket of open sessions. Keys: `<team>.<person>.<host>.<session key>`. */
export const sessionsBucket = "beckon-sessions";
/** Bucket of seen events. Keys: `<team>.<event id>`. */
export const seenBucket = "beckon-acks";
/**
 * Returns the name of the stream that stores a bucket.
 * https://github.com/nats-io/nats-architecture-and-design/blob/main/adr/ADR-8.md
 */
export function bucketStream(bucket: string): string {
  return `KV_${bucket}`;
}

/** Disk space for each of the two buckets, bytes. The server reserves the space immediately. */
export const bucketBytes = 64 * 1024 * 1024;
/** Consumer group for a user's machines. The server sends events to one machine at a time. */
export const receiverGroup = "receiver";

/** Possible last words of a subject: an event kind, or `state`. */
export const subjectWords = [...kinds, "state"] as const;

export const hostToken = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
/** Team or user name. It has no `_`, which separates team and user in the name of a durable consumer. */
export const nameToken = /^[A-Za-z0-9][A-Za-z0-9-]{0,30}$/;

/** Sender and recipient of an event, as in its subject. */
export interface Route {
  readonly team: string;
  readonly person: string;
  /** Name of the sending machine, as in its invitation. */
  readonly host: string;
}

const prefix = "beckon.v1";

/** Wildcard for all subjects in the stream. */
export const allSubjects = `${prefix}.*.*.*.*`;

/** Builds the subject for an event, such as `beckon.v1.team.alice.ci-7.needs-you`. */
export function buildSubject({ team, person, host }: Route, word: (typeof subjectWords)[number]): string {
  return [prefix, team, person, host, word].join(".");
}

/** Builds the wildcard for all events sent to a user. */
export function subjectsTo({ team, person }: Pick<Route, "team" | "person">): string {
  return [prefix, team, person, ">"].join(".");
}

/** Parses sender and recipient from a subject; undefined if the subject has another form. */
export function readSubject(subject: string): Route | undefined {
  const [, team, person, host] = /^beckon\.v1\.([^.]+)\.([^.]+)\.([^.]+)\.[^.]+$/.exec(subject) ?? [];
  return team === undefined || person === undefined || host === undefined ? undefined : { team, person, host };
}

/** Builds the name of the durable consumer for a user's machines. */
export function buildDurableName({ team, person }: Pick<Route, "team" | "person">): string {
  return `${team}_${person}`;
}
