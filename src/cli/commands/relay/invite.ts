import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { CommandError, readErrno, UsageError } from "../../../core/errors.ts";
import { writePrivateFile } from "../../../files/atomic-file.ts";
import { createClock } from "../../../io/clock.ts";
import { hostToken, nameToken } from "../../../relay/nats/names.ts";
import { enrol, removeUsers, type Waiting } from "../../../relay/server/change-users.ts";
import { type Guest, invite } from "../../../relay/server/invitation.ts";
import { prepareServer } from "../../../relay/server/reach-server.ts";
import { listNodes, type OwnServer } from "../../../relay/server/server-settings.ts";
import { usersFile } from "../../../relay/server/server-text.ts";
import { type Invited, readUsers } from "../../../relay/server/users.ts";
import type { CliContext } from "../../context.ts";
import { shortPath } from "../../short-path.ts";
import { parseExpiry, requireServer, withReachableServer } from "./own-server.ts";

export interface InviteOptions {
  readonly person?: readonly string[];
  readonly expires?: string;
  readonly out?: string;
}

/** Time limit in milliseconds for the user to copy the users file to the servers of a cluster. */
const copyTimeoutMs = 10 * 60_000;

/** Runs `beckon relay invite`: adds a user to the server, then prints the invitation. */
export async function runInvite(
  host: string | undefined,
  { person: people = [], expires, out }: InviteOptions,
  context: CliContext,
): Promise<number> {
  const { print, printError } = context;
  requireOwnRoot(context);
  const guest = parseGuest(host, people);
  const validMs = expires === undefined ? undefined : parseExpiry(expires);
  const server = await requireServer(context);
  const invited: Guest =
    guest.role === "machine" && guest.people.length === 0 ? { ...guest, people: [server.settings.person] } : guest;
  const users = readUsers(server.files.users);
  refuseTaken(invited, users);
  const nowMs = context.now?.() ?? Date.now();
  const { invitation, user } = await invite(server, invited, { nowMs, validMs });
  await withReachableServer(server, context, async () => {
    await prepareServer(server, [...new Set([server.settings.person, ...listPeople(invited)])]);
    const check = (current: readonly Invited[]): void => refuseTaken(invited, current);
    await enrol(server, user, {
      seed: invitation.creds.seed,
      check,
      waiting: waitingFor(server, context),
      clock: createClock(),
    });
  });
  const text = `${JSON.stringify(invitation)}\n`;
  if (out === undefined) print(text.trimEnd());
  else await writeInvitation(out, text, () => removeUsers(server, ({ key }) => key === user.key, createClock()));
  const known = new Set(users.flatMap((user) => (user.role === "person" ? [user.person] : [])));
  for (const name of listPeople(invited).filter((person) => guest.role === "machine" && !known.has(person)))
    printError(`Events for ${name} wait on the server until you invite ${name}: beckon relay invite --person ${name}`);
  if (out !== undefined)
    printError(
      `Anyone with ${out} gets access. Run \`beckon relay join FILE\` on the other machine, then delete the file.`,
    );
  return 0;
}

/** Writes an invitation to a file. If that fails, withdraws the invitation. @throws {CommandError} */
async function writeInvitation(file: string, text: string, withdraw: () => Promise<unknown>): Promise<void> {
  try {
    writePrivateFile(file, text);
  } catch (error) {
    await withdraw();
    throw new CommandError(
      `${file} cannot be written (${readErrno(error) ?? "unknown error"}); the invitation was withdrawn`,
      "Choose a file in a folder of yours with --out.",
    );
  }
}

function parseGuest(host: string | undefined, people: readonly string[]): Guest {
  const help = "See `beckon relay invite --help`.";
  const wrong = people.find((name) => !nameToken.test(name));
  if (wrong !== undefined)
    throw new UsageError(
      `--person: ${JSON.stringify(wrong)} is not a valid name (letters, digits and -, at most 31)`,
      help,
    );
  if (host !== undefined) {
    if (hostToken.test(host) && host !== "localhost") return { role: "machine", host, people: [...new Set(people)] };
    const rule = "letters, digits, - and _, at most 63";
    throw new UsageError(`${JSON.stringify(host)} is not a valid machine name (${rule})`, help);
  }
  const [person, ...others] = people;
  if (person !== undefined && others.length === 0) return { role: "person", person };
  throw new UsageError("missing NAME of a machine with agents, or --person NAME for a person's own machine", help);
}

function listPeople(guest: Guest): readonly string[] {
  return guest.role === "machine" ? guest.people : [guest.person];
}

/**
 * Refuses a name that another machine has, because the server gives rights and quota by name.
 * @throws {CommandError}
 */
function refuseTaken(guest: Guest, users: readonly Invited[]): void {
  if (guest.role !== "machine" || !users.some((user) => user.role === "machine" && user.host === guest.host)) return;
  throw new CommandError(
    `${guest.host} is already invited`,
    `Choose another name, or revoke the old invitation: beckon relay revoke ${guest.host}`,
  );
}

/**
 * Returns a step that waits until the user has copied the users file to each server of a cluster, and that prints the
 * commands for this; undefined without a cluster.
 */
function waitingFor({ settings, files }: OwnServer, { printError, environment }: CliContext): Waiting | undefined {
  if (!settings.isCluster) return undefined;
  const onWritten = (): void => {
    printError("Copy the new users file to each server. Waiting until all of them have it:");
    for (const { name, folder } of listNodes(settings, files.folder))
      printError(`  scp ${shortPath(folder, environment)}/${usersFile} ${name}:beckon-nats/`);
  };
  return { limitMs: copyTimeoutMs, onWritten };
}
