import type { MachineCredentials, PersonCredentials } from "./credentials.ts";
import {
  bucketStream,
  buildDurableName,
  buildSubject,
  seenBucket,
  sessionsBucket,
  streamName,
  subjectWords,
} from "./names.ts";
import { buildInboxPrefix } from "./user-key.ts";

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

/** Lists a user's permissions: only what it needs, as literally as subjects can express. */
export function buildRights(user: User): Rights {
  return {
    publish: user.role === "machine" ? listMachineSubjects(user) : listPersonSubjects(user),
    subscribe: [`${buildInboxPrefix(user.key)}.>`],
  };
}

/** A stolen machine can forge its own agents' events and nothing else. */
function listMachineSubjects({ team, host, people }: Extract<User, { role: "machine" }>): string[] {
  return people.flatMap((person) => subjectWords.map((word) => buildSubject({ team, person, host }, word)));
}

/**
 * Fetches and acknowledges the user's events, shares the user's sessions, and reads the team's. No `DIRECT.GET`: its
 * answer goes to any subject the request names, so a user could publish its own value as if another user had sent it.
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
