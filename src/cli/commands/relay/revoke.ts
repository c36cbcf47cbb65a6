import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { didYouMean } from "../../../config/did-you-mean.ts";
import { CommandError, UsageError } from "../../../core/errors.ts";
import { createClock } from "../../../io/clock.ts";
import { dismiss } from "../../../relay/server/change-users.ts";
import { nodesOf, type OwnServer } from "../../../relay/server/server-settings.ts";
import { usersFile } from "../../../relay/server/server-text.ts";
import { type Invited, readUsers } from "../../../relay/server/users.ts";
import type { CliContext } from "../../context.ts";
import { say } from "../../say.ts";
import { shortPath } from "../../short-path.ts";
import { requireServer, whileReached } from "./own-server.ts";

export interface RevokeOptions {
  readonly person?: string;
}

/** Runs `beckon relay revoke`: the server lets that machine, or that person's machines, in no more. */
export async function runRevoke(
  host: string | undefined,
  { person }: RevokeOptions,
  context: CliContext,
): Promise<number> {
  requireOwnRoot(context);
  if ((host === undefined) === (person === undefined))
    throw new UsageError("whom? NAME of a machine, or --person NAME", "See `beckon relay revoke --help`.");
  const server = await requireServer(context);
  const isMeant = (user: Invited): boolean => (user.role === "machine" ? user.host === host : user.person === person);
  const { removed, problems } = await whileReached(server, context, () => dismiss(server, isMeant, createClock()));
  if (removed.length === 0) {
    const users = readUsers(server.files.users);
    const names = users.flatMap((one) => (one.role === "machine" ? [one.host] : [`--person ${one.person}`]));
    throw new CommandError(`${host ?? person} is not invited`, didYouMean(host ?? `--person ${person}`, names));
  }
  if (server.settings.isCluster) bringUsers(server, context);
  else sayWhen(host ?? `${person}`, problems, context);
  say(
    host === undefined
      ? `What is sent to ${person} waits for 72 hours, for whoever is invited as ${person} next.`
      : `What waits from ${host} stays, and is told; it is dropped after 72 hours.`,
    context,
  );
  return 0;
}

function sayWhen(name: string, [problem]: readonly string[], context: CliContext): void {
  const now = `${name} is let in no more, and its connections are closed.`;
  say(problem === undefined ? now : `${name} is let in no more once the server starts anew: ${problem}`, context);
}

/** The servers of a cluster run elsewhere: a person brings them the file. */
function bringUsers({ settings, files }: OwnServer, context: CliContext): void {
  say("It ends on each server once that has the new users:", context);
  for (const { name, folder } of nodesOf(settings, files.folder)) {
    context.print(`  scp ${shortPath(folder, context.environment)}/${usersFile} ${name}:beckon-nats/`);
    context.print(`  ssh ${name} systemctl --user reload beckon-nats`);
  }
}
