import type { MachineCredentials, PersonCredentials } from "./credentials.ts";
import { bucketStream, durableOf, seenBucket, sessionsBucket, streamName, subjectOf, subjectWords } from "./names.ts";
import { inboxOf } from "./user-key.ts";

/** A user as the server knows it: by the public key of its credentials. */
export type User = (
  | Pick<MachineCredentials, "role" | "team" | "host" | "people">
  | Pick<PersonCredentials, "role" | "team" | "person">
) & { readonly key: string };

/** The subjects that a user may publish to, and hear. */
export interface Rights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** What a user may do at the server: what it needs, as literally as subjects can say it. */
export function rightsOf(user: User): Rights {
  return { publish: user.role === "machine" ? ofMachine(user) : ofPerson(user), subscribe: [`${inboxOf(user.key)}.>`] };
}

/** A stolen machine can tell lies of its own agents, and nothing else. */
function ofMachine({ team, host, people }: Extract<User, { role: "machine" }>): string[] {
  return people.flatMap((person) => subjectWords.map((word) => subjectOf({ team, person, host }, word)));
}

/**
 * Fetches and acknowledges what is sent to the person, shares what waits for it, and reads what the team shares. No
 * `DIRECT.GET`: its answer, a value of one's own, goes to any subject that the request names, as if another had sent
 * it.
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
