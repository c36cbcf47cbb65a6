import { buildInboxPrefix, type MachineCredentials, type PersonCredentials } from "./credentials.ts";
import {
  bucketStream,
  buildDurableName,
  buildSubject,
  seenBucket,
  sessionsBucket,
  streamName,
  subjectWords,
} from "./names.ts";

/** A NATS user, identified by the public key of its credentials. */
export type User = (
  | Pick<MachineCredentials, "role" | "team" | "host" | "people">
  | Pick<PersonCredentials, "role" | "team" | "person">
) & { readonly key: string };

/** Subjects a user may publish and subscribe to. */
export interface Rights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Lists the subjects that a user needs, without wildcards if possible. */
export function buildRights(user: User): Rights {
  return {
    publish: user.role === "machine" ? listMachineSubjects(user) : listPersonSubjects(user),
    subscribe: [`${buildInboxPrefix(user.key)}.>`],
  };
}

/** Lists a machine's subjects. Stolen credentials can only forge events from that machine. */
function listMachineSubjects({ team, host, people }: Extract<User, { role: "machine" }>): string[] {
  return people.flatMap((person) => subjectWords.map((word) => buildSubject({ team, person, host }, word)));
}

/**
 * Lists the subjects for fetching the user's events, sharing the user's sessions and reading the team's sessions.
 * `DIRECT.GET` is left out: its answer goes to any subject the request names, so that one user could publish a value in
 * another user's name.
 */
function listPersonSubjects({ team, person }: Extract<User, { role: "person" }>): string[] {
  const durable = buildDurableName({ team, person });
  return [
    `$JS.API.CONSUMER.INFO.${streamName}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${streamName}.${durable}`,
    `$JS.ACK.${streamName}.${durable}.>`,
    `$KV.${sessionsBucket}.${team}.${person}.>`,
    `$KV.${seenBucket}.${team}.*`,
    ...[sessionsBucket, seenBucket].map(
      (bucket) => `$JS.API.CONSUMER.CREATE.${bucketStream(bucket)}.*.$KV.${bucket}.${team}.>`,
    ),
  ];
}
