import { join } from "node:path";
import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import * as z from "zod";
import { InputError } from "../../core/errors.ts";
import { parseJson } from "../../core/json-value.ts";
import type { ClockPort } from "../../core/ports.ts";
import { replaceQuietly } from "../../files/atomic-file.ts";
import { withLock } from "../../files/lock.ts";
import type { Paths } from "../../files/paths.ts";
import { readQuietly } from "../../files/read-file.ts";
import { derivePublicKey } from "../nats/credentials.ts";
import {
  bucketStream,
  buildDurableName,
  buildSubject,
  hostToken,
  nameToken,
  seenBucket,
  sessionsBucket,
  streamName,
  subjectWords,
} from "../nats/names.ts";
import { asAdmin, findRefusals, reload } from "./reach-server.ts";
import { listNodes, type OwnServer, readServer } from "./server-settings.ts";
import { usersFile, userText } from "./server-text.ts";

const shared = {
  team: z.string().regex(nameToken),
  key: z.string().regex(/^U[A-Z2-7]{55}$/),
  invitedAt: z.iso.datetime(),
  /** Expiry time; default: the user is valid until removed. */
  expiresAt: z.iso.datetime().optional(),
};

const userSchema = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("machine"),
    host: z.string().regex(hostToken),
    people: z.array(z.string().regex(nameToken)).min(1),
    ...shared,
  }),
  z.object({ role: z.literal("person"), person: z.string().regex(nameToken), ...shared }),
]);

/** An invited user. */
export type Invited = Readonly<z.output<typeof userSchema>>;

const usersSchema = z.object({ users: z.array(userSchema) });

/** Reads the invited users, without removed users. @throws {InputError} if the file is malformed */
export function readUsers(file: string): readonly Invited[] {
  const text = readQuietly(file);
  if (text === undefined) return [];
  const { data } = usersSchema.safeParse(parseJson(text));
  if (!data) throw new InputError("relay.users", `${file} is not what beckon wrote there`);
  return data.users;
}

/** Tells if a user's access has ended. */
export function isExpired({ expiresAt }: Invited, nowMs: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

/** Describes a user: `ci-7, for alice and bob`. */
export function describeUser(user: Invited): string {
  return user.role === "person" ? `${user.person}'s own machine` : `${user.host}, for ${user.people.join(" and ")}`;
}

/**
 * Renders the users and their permissions for the server's configuration.
 * @param admin seed of the user that creates streams and consumers
 */
export function usersText(users: readonly Invited[], admin: string): string {
  const lines = [
    ["beckon itself, on the machine that looks after this", userText(derivePublicKey(admin), ["$JS.API.>"])],
    ...users.map((user) => [describeUser(user), userText(user.key, listSubjects(user))]),
  ];
  return `# Written by beckon: \`beckon relay invite\` and \`beckon relay revoke\` change it.
users: [
${lines.map(([about, user]) => `  # ${about}\n  ${user}`).join("\n")}
]
`;
}

/** Longest time to wait for the lock on the users file, milliseconds. */
const lockTimeoutMs = 30_000;
/** Longest time a server may take to accept a new user, milliseconds. */
const acceptTimeoutMs = 10_000;

interface Enrolment {
  /** Seed of one of the added users, with which the servers are tested. */
  readonly seed: string;
  /** Checks the existing users. Throws if the new users must not be added. */
  readonly check: (users: readonly Invited[]) => void;
  readonly waiting?: Waiting | undefined;
  readonly clock: ClockPort;
}

/** Waiting period in which somebody copies the users files to the servers of a cluster. */
export interface Waiting {
  /** Longest waiting time, milliseconds. */
  readonly limitMs: number;
  /** Called once, after the files are written. */
  readonly onWritten: () => void;
}

/**
 * Adds users to all servers, and resolves when every server accepts them. Removes the users again if a server does not.
 * @throws {InputError} `relay.refused`, and any error from `check`
 */
export async function enrol(
  server: OwnServer,
  added: readonly Invited[],
  { seed, check, waiting, clock }: Enrolment,
): Promise<void> {
  await withUsers(server, clock, async (users) => {
    check(users);
    writeUsers(server, [...users, ...added]);
    waiting?.onWritten();
    const deadlineMs = clock.uptimeMs() + (waiting?.limitMs ?? acceptTimeoutMs);
    for (;;) {
      const faults = await reload(server);
      const refused = await findRefusals(server, seed);
      if (refused.length === 0) return;
      if (clock.uptimeMs() < deadlineMs) {
        await clock.wait(500);
        continue;
      }
      writeUsers(server, users);
      await reload(server);
      throw new InputError("relay.refused", `the server does not let it in: ${[...faults, ...refused][0]}`);
    }
  });
}

/** Removes users. Returns the removed users, and the errors from reloading the servers. */
export async function removeUsers(
  server: OwnServer,
  isMeant: (user: Invited) => boolean,
  clock: ClockPort,
): Promise<{ readonly removed: readonly Invited[]; readonly problems: readonly string[] }> {
  return withUsers(server, clock, async (users) => {
    const removed = users.filter(isMeant);
    if (removed.length === 0) return { removed, problems: [] };
    writeUsers(
      server,
      users.filter((user) => !isMeant(user)),
    );
    return { removed, problems: await reload(server) };
  });
}

/** Removes and returns expired users. Does nothing if this machine manages no server. */
export async function removeExpiredUsers(paths: Pick<Paths, "relay">, clock: ClockPort): Promise<readonly Invited[]> {
  const server = readServer(paths);
  const hasExpired = (user: Invited): boolean => isExpired(user, clock.now());
  if (!server || !readUsers(server.files.users).some(hasExpired)) return [];
  return (await removeUsers(server, hasExpired, clock)).removed;
}

/** Writes the users file of this machine, and the permissions file of each server. */
export function writeUsers({ files, settings, keys }: OwnServer, users: readonly Invited[]): void {
  const text = usersText(users, keys.admin);
  const written = [
    replaceQuietly(files.users, `${JSON.stringify({ users }, undefined, 2)}\n`),
    ...listNodes(settings, files.folder).map(({ folder }) => replaceQuietly(join(folder, usersFile), text)),
  ];
  if (written.includes(false)) throw new InputError("relay.users", `${files.folder} cannot be written to`);
}

/** Locks the users file and runs a function with its users. */
async function withUsers<T>(
  { files }: OwnServer,
  clock: ClockPort,
  use: (users: readonly Invited[]) => Promise<T>,
): Promise<T> {
  return withLock(files.lock, { clock, waitMs: lockTimeoutMs, who: "another `beckon relay`" }, () =>
    use(readUsers(files.users)),
  );
}

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

/** Invited user with its place in the team. */
export type User = DistributiveOmit<Invited, "invitedAt" | "expiresAt">;
/** Machine or person to invite. */
export type Guest = DistributiveOmit<User, "key" | "team">;

/**
 * Lists the subjects that a user may publish to, without wildcards if possible. Stolen credentials of a machine can only
 * forge events from that machine. A person fetches events, shares sessions and reads the team's sessions. `DIRECT.GET`
 * is left out: its answer goes to any subject the request names, so that one user could publish a value in another
 * user's name.
 */
export function listSubjects({ team, ...user }: User): string[] {
  if (user.role === "machine") {
    const { host, people } = user;
    return people.flatMap((person) => subjectWords.map((word) => buildSubject({ team, person, host }, word)));
  }
  const { person } = user;
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

/**
 * Reads the status of the server that this machine manages: the version of nats-server, such as `2.15.1`, and the number
 * of waiting events for each user.
 * @throws {DeliveryError} if the server is unreachable
 */
export async function readServerStatus(server: OwnServer) {
  const { team, person } = server.settings;
  const users = readUsers(server.files.users);
  const people = new Set([person, ...users.flatMap((user) => (user.role === "machine" ? user.people : [user.person]))]);
  return asAdmin(server, async (connection) => {
    const manager = await jetstreamManager(connection);
    const counts = [...people].map(async (name) => {
      try {
        const { num_pending, num_ack_pending } = await manager.consumers.info(
          streamName,
          buildDurableName({ team, person: name }),
        );
        return [name, num_pending + num_ack_pending] as const;
      } catch (error) {
        if (error instanceof JetStreamApiError) return [name, 0] as const; // no invitation yet
        throw error;
      }
    });
    const waiting: Readonly<Record<string, number>> = Object.fromEntries(await Promise.all(counts));
    return { version: connection.info?.version ?? "", waiting };
  });
}
