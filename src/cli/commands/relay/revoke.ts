import type { RelayRevoke as RevokedOutput } from "../../../../docs/output.d.ts";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { CommandError, UsageError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { createClock } from "../../../io/clock.ts";
import { listNodes, type OwnServer } from "../../../relay/server/server-settings.ts";
import { usersFile } from "../../../relay/server/server-text.ts";
import { describeUser, type Invited, readUsers, removeUsers } from "../../../relay/server/users.ts";
import { didYouMean } from "../../../text/did-you-mean.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say, shortPath } from "../../say.ts";
import { requireServer, withReachableServer } from "./own-server.ts";

export interface RevokeOptions {
  readonly person?: string;
  readonly json?: boolean;
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
  const server = await requireServer(context);
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
  else sayWhen(host ?? `${person}`, problems, context);
  say(
    host === undefined
      ? `Events for ${person} stay on the server for 72 hours; the next machine invited as ${person} gets them.`
      : `Waiting events from ${host} are still delivered, or dropped after 72 hours.`,
    context,
  );
  return 0;
}

function sayWhen(name: string, [problem]: readonly string[], context: CliContext): void {
  const now = `Revoked access for ${name} and closed its connections.`;
  say(problem === undefined ? now : `Access for ${name} ends when the server restarts: ${problem}`, context);
}

/** Prints the commands that copy files to a cluster, whose servers run on other machines. */
function printCopySteps({ settings, files }: OwnServer, context: CliContext): void {
  say("Access ends on each server once it has the new users file:", context);
  for (const { name, folder } of listNodes(settings, files.folder)) {
    context.print(`  scp ${shortPath(folder, context.environment)}/${usersFile} ${name}:beckon-nats/`);
    context.print(`  ssh ${name} systemctl --user reload beckon-nats`);
  }
}
