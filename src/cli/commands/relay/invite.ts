import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { InvitationFiles, RelayRevoke as RevokedOutput } from "../../../../docs/output.d.ts";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { CommandError, DeliveryError, InputError, readErrno, UsageError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { makePrivateFolder, writePrivateFile } from "../../../files/atomic-file.ts";
import { createClock } from "../../../io/clock.ts";
import { hostToken } from "../../../relay/nats/names.ts";
import { invite } from "../../../relay/server/invitation.ts";
import { prepareServer } from "../../../relay/server/reach-server.ts";
import { listNodes, listOwnAddresses, type OwnServer, readServer } from "../../../relay/server/server-settings.ts";
import { usersFile } from "../../../relay/server/server-text.ts";
import {
  describeUser,
  enrol,
  type Guest,
  type Invited,
  readUsers,
  removeUsers,
  type Waiting,
} from "../../../relay/server/users.ts";
import { didYouMean } from "../../../text/did-you-mean.ts";
import { dayMs, parseDuration } from "../../../text/time.ts";
import type { CliContext } from "../../context.ts";
import { type JsonOption, jsonLine } from "../../output/json-line.ts";
import { say, shortPath } from "../../say.ts";
import { checkName, formatStartCommand } from "./own-server.ts";

export interface InviteOptions extends JsonOption {
  readonly person?: readonly string[];
  readonly expires?: string;
  readonly out?: string;
  readonly count?: number;
}

/** Time limit in milliseconds for the user to copy the users file to the servers of a cluster. */
const copyTimeoutMs = 10 * 60_000;

/**
 * Runs `beckon relay invite`: adds a user to the server, or with `--count` the machines NAME-1 to NAME-N with one change,
 * then prints the invitation or writes each to a private file. The files of several machines overwrite nothing.
 */
export async function runInvite(
  name: string | undefined,
  { person = [], expires, out, count, json }: InviteOptions,
  context: CliContext,
): Promise<number> {
  requireOwnRoot(context);
  if (count !== undefined && (name === undefined || out === undefined))
    throw new UsageError(
      "--count needs NAME, with which the machines' names begin, and --out FOLDER",
      "Example: beckon relay invite ci --count 20 --out invitations",
    );
  const names = count === undefined ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
  const guests = names.map((host) => parseGuest(host, person));
  const folder = count === undefined || out === undefined ? undefined : resolve(out);
  const files = guests.map((guest): InvitationFile => {
    if (guest.role === "person") return { person: guest.person, file: out ?? "" };
    return { host: guest.host, file: folder === undefined ? (out ?? "") : join(folder, `${guest.host}.json`) };
  });
  const existing = folder === undefined ? undefined : files.find(({ file }) => existsSync(file));
  if (existing) throw new CommandError(`${existing.file} already exists`, "Choose another folder with --out.");
  const validMs = parseExpiry(expires);
  const server = requireServer(context);
  const { invitations, withdraw } = await inviteAll(guests, server, validMs, context);
  const texts = invitations.map((invitation) => `${JSON.stringify(invitation)}\n`);
  if (out === undefined) context.print(texts.join("").trimEnd());
  else {
    await writeInvitations(files, texts, folder, withdraw);
    if (json) context.print(jsonLine({ invitations: files }));
    else report(files, out, folder, context);
  }
  return 0;
}

/** Private file with the invitation of a machine or a person. */
type InvitationFile = Readonly<InvitationFiles["invitations"][number]>;

/**
 * Adds users to the server with one change. Prints which people have to be invited too. Returns the invitations, and a
 * function that removes the users again. @throws {CommandError}
 */
async function inviteAll(
  guests: readonly Guest[],
  server: OwnServer,
  validMs: number | undefined,
  context: CliContext,
) {
  const own = server.settings.person;
  const users = readUsers(server.files.users);
  const invited = guests.map((guest) =>
    guest.role === "machine" && guest.people.length === 0 ? { ...guest, people: [own] } : guest,
  );
  const check = (current: readonly Invited[]): void => {
    for (const guest of invited) refuseTaken(guest, current);
  };
  check(users);
  const nowMs = context.now();
  const made = await Promise.all(invited.map((guest) => invite(server, guest, { nowMs, validMs })));
  const people = [...new Set(invited.flatMap((guest) => (guest.role === "machine" ? guest.people : [guest.person])))];
  const seed = made.at(-1)?.invitation.creds.seed ?? "";
  await withReachableServer(server, context, async () => {
    await prepareServer(server, [...new Set([own, ...people])]);
    const added = made.map(({ user }) => user);
    await enrol(server, added, { seed, check, waiting: waitingFor(server, context), clock: createClock() });
  });
  const known = new Set(users.flatMap((user) => (user.role === "person" ? [user.person] : [])));
  const named = invited.flatMap((guest) => (guest.role === "machine" ? guest.people : []));
  for (const name of new Set(named.filter((person) => !known.has(person))))
    context.printError(
      `Events for ${name} wait on the server until you invite ${name}: beckon relay invite --person ${name}`,
    );
  const keys = new Set(made.map(({ user }) => user.key));
  const invitations = made.map(({ invitation }) => invitation);
  return { invitations, withdraw: () => removeUsers(server, ({ key }) => keys.has(key), createClock()) };
}

/**
 * Writes invitations to private files. If that fails, withdraws them and deletes those in a folder.
 * @param folder folder for several machines, in which no file may exist
 * @throws {CommandError}
 */
async function writeInvitations(
  files: readonly InvitationFile[],
  texts: readonly string[],
  folder: string | undefined,
  withdraw: () => Promise<unknown>,
): Promise<void> {
  const written: string[] = [];
  try {
    for (const [index, { file }] of files.entries()) {
      makePrivateFolder(dirname(file));
      if (folder === undefined) writePrivateFile(file, texts[index] ?? "");
      else writeFileSync(file, texts[index] ?? "", { flag: "wx", mode: 0o600 });
      written.push(file);
    }
  } catch (error) {
    await withdraw();
    for (const file of written) rmSync(file, { force: true });
    const why = readErrno(error) ?? "unknown error";
    if (folder === undefined)
      throw new CommandError(
        `${files[0]?.file} cannot be written (${why}); the invitation was withdrawn`,
        "Choose a file in a folder of yours with --out.",
      );
    throw new CommandError(
      `${folder} cannot be written to (${why}); the invitations were withdrawn`,
      "Choose a folder of yours with --out.",
    );
  }
}

/** Reads whom to invite from the arguments. @throws {UsageError} */
function parseGuest(host: string | undefined, people: readonly string[]): Guest {
  const help = "See `beckon relay invite --help`.";
  for (const name of people) checkName(name, "--person", help);
  if (host !== undefined) {
    if (hostToken.test(host) && host !== "localhost") return { role: "machine", host, people: [...new Set(people)] };
    const rule = "letters, digits, - and _, at most 63";
    throw new UsageError(`${JSON.stringify(host)} is not a valid machine name (${rule})`, help);
  }
  const [person, ...others] = people;
  if (person !== undefined && others.length === 0) return { role: "person", person };
  throw new UsageError("missing NAME of a machine with agents, or --person NAME for a person's own machine", help);
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
 * Returns the waiting time in which the user copies the users file to each server of a cluster, with a callback that
 * prints the commands for this; undefined without a cluster.
 */
function waitingFor({ settings, files }: OwnServer, { printError, environment }: CliContext): Waiting | undefined {
  if (!settings.isCluster) return undefined;
  const onWritten = (): void => {
    printError("Copy the new users file to each server. Waiting until all of them have it:");
    for (const { copy } of listCopies({ settings, files }, environment)) printError(`  ${copy}`);
  };
  return { limitMs: copyTimeoutMs, onWritten };
}

function report(files: readonly InvitationFile[], out: string, folder: string | undefined, context: CliContext): void {
  if (folder === undefined) {
    context.printError(
      `Anyone with ${out} gets access. Run \`beckon relay join FILE\` on the other machine, then delete the file.`,
    );
    return;
  }
  const [first, last] = [files[0]?.host, files.at(-1)?.host];
  const shown = shortPath(folder, context.environment);
  say(`Invited ${files.length} machines, ${first} to ${last}: one file for each in ${shown}`, context);
  say("Anyone with a file gets access. Run `beckon relay join FILE` on its machine, then delete the file.", context);
}

/** Reads the settings of this machine's server. @throws {CommandError} without a server */
function requireServer({ paths }: CliContext): OwnServer {
  const server = readServer(paths);
  if (server) return server;
  throw new CommandError("no server is set up on this machine", "To set one up: beckon relay up");
}

/**
 * Runs a function that needs the server.
 * @throws {CommandError} if the server cannot be reached, with the command that starts it
 */
async function withReachableServer<T>(
  server: OwnServer,
  { environment }: CliContext,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof InputError) throw new CommandError(error.message, "For details: beckon relay status");
    if (!(error instanceof DeliveryError)) throw error;
    const where = listOwnAddresses(server.settings).join(", ");
    if (error.reason !== "unavailable")
      throw new CommandError(`${where}: ${error.message}`, error.hint ?? rewriteFilesHint);
    const start = server.settings.isCluster
      ? "Start nats-server on each of them. For the commands: beckon relay up"
      : `Start it with \`${formatStartCommand(server, environment)}\`, or as a service: see \`beckon relay up\`.`;
    throw new CommandError(`the server does not answer at ${where} (${error.message})`, start);
  }
}

const rewriteFilesHint = "Run `beckon relay up` to write its files again, then restart it.";

/** Maximum validity of an invitation, milliseconds: about 27 years. */
const maxExpiryMs = 9_999 * dayMs;

/** Parses the validity of an invitation to milliseconds; undefined for no limit. @throws {UsageError} */
export function parseExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text, ["h", "d"]);
  if (ms > 0 && ms <= maxExpiryMs) return ms;
  throw new UsageError(
    `--expires must be a duration such as 12h or 30d, not ${JSON.stringify(text)}`,
    "See `beckon relay invite --help`.",
  );
}

export interface RevokeOptions extends JsonOption {
  readonly person?: string;
}

/**
 * Runs `beckon relay revoke`: removes from the server one machine that sends events, or every machine that receives a
 * person's events.
 */
export async function runRevoke(
  host: string | undefined,
  { person, json }: RevokeOptions,
  context: CliContext,
): Promise<number> {
  requireOwnRoot(context);
  if ((host === undefined) === (person === undefined))
    throw new UsageError("missing NAME of a machine, or --person NAME", "See `beckon relay revoke --help`.");
  const server = requireServer(context);
  const isRevoked = (user: Invited): boolean => (user.role === "machine" ? user.host === host : user.person === person);
  const { removed, problems } = await withReachableServer(server, context, () =>
    removeUsers(server, isRevoked, createClock()),
  );
  if (removed.length === 0) {
    const users = readUsers(server.files.users);
    const names = users.flatMap((user) => (user.role === "machine" ? [user.host] : [`--person ${user.person}`]));
    throw new CommandError(`${host ?? person} is not invited`, didYouMean(host ?? `--person ${person}`, names));
  }
  if (json) {
    const output = { revoked: removed.map(describeUser), ...omitUndefined({ problem: problems[0] }) };
    context.print(jsonLine(output satisfies RevokedOutput));
    return 0;
  }
  if (server.settings.isCluster) printCopySteps(server, context);
  else {
    const [name, [problem]] = [host ?? person, problems];
    const now = `Revoked access for ${name} and closed its connections.`;
    say(problem === undefined ? now : `Access for ${name} ends when the server restarts: ${problem}`, context);
  }
  say(
    host === undefined
      ? `Events for ${person} stay on the server for 72 hours; the next machine invited as ${person} gets them.`
      : `Waiting events from ${host} are still delivered, or dropped after 72 hours.`,
    context,
  );
  return 0;
}

/** Prints the commands that copy files to a cluster, whose servers run on other machines. */
function printCopySteps(server: OwnServer, context: CliContext): void {
  say("Access ends on each server once it has the new users file:", context);
  for (const { name, copy } of listCopies(server, context.environment))
    context.print(`  ${copy}\n  ssh ${name} systemctl --user reload beckon-nats`);
}

/** Lists the servers of a cluster, each with the command that copies the users file to it. */
function listCopies(
  { settings, files }: Pick<OwnServer, "settings" | "files">,
  environment: CliContext["environment"],
) {
  return listNodes(settings, files.folder).map(({ name, folder }) => {
    return { name, copy: `scp ${shortPath(folder, environment)}/${usersFile} ${name}:beckon-nats/` };
  });
}
