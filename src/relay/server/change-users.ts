import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import type { ClockPort } from "../../core/ports.ts";
import { replaceQuietly } from "../../files/atomic-file.ts";
import { withLock } from "../../files/lock.ts";
import type { Paths } from "../../files/paths.ts";
import { findRefusals, reload } from "./reach-server.ts";
import { listNodes, type OwnServer, readServer, serverFiles } from "./server-settings.ts";
import { usersFile } from "./server-text.ts";
import { filterCurrentUsers, type Invited, readUsers, usersJson, usersText } from "./users.ts";

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
  const server = existsSync(serverFiles(paths).users) ? readServer(paths) : undefined;
  if (!server) return [];
  const users = readUsers(server.files.users);
  const current = new Set(filterCurrentUsers(users, clock.now()));
  if (current.size === users.length) return [];
  const expired = new Set(users.filter((user) => !current.has(user)).map(({ key }) => key));
  return (await removeUsers(server, ({ key }) => expired.has(key), clock)).removed;
}

/** Writes the users file of this machine, and the permissions file of each server. */
export function writeUsers({ files, settings, keys }: OwnServer, users: readonly Invited[]): void {
  const text = usersText(users, keys.admin);
  const written = [
    replaceQuietly(files.users, usersJson(users)),
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
