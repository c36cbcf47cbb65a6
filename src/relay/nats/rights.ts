import type { MachineCredentials, PersonCredentials } from "./credentials.ts";
import { bucketStream, durableOf, seenBucket, sessionsBucket, streamName, subjectOf, subjectWords } from "./names.ts";
import { inboxOf } from "./user-key.ts";

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
export function rightsOf(user: User): Rights {
  return { publish: user.role === "machine" ? ofMachine(user) : ofPerson(user), subscribe: [`${inboxOf(user.key)}.>`] };
}

/** A stolen machine can forge its own agents' events and nothing else. */
function ofMachine({ team, host, people }: Extract<User, { role: "machine" }>): string[] {
  return people.flatMap((person) => subjectWords.map((word) => subjectOf({ team, person, host }, word)));
}

/**
 * Fetches and acknowledges the user's events, shares the user's sessions, and reads the team's. No `DIRECT.GET`: its
 * answer goes to any subject the request names, so a user could publish its own value as if another user had sent it.
 */
function ofPerson({ team, person }: Extract<User, { role: "person" }>): string[] {
  const durable = durableOf({ team, person });
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
