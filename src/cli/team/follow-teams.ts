import type { TeamView } from "../../board/board.ts";
import { loadConfig } from "../../config/load.ts";
import { resolveReferences } from "../../config/references.ts";
import { type ServerSource, sourceName } from "../../config/relay-table.ts";
import { CommandError } from "../../core/errors.ts";
import { createClock } from "../../io/clock.ts";
import { createExec } from "../../io/exec.ts";
import { keepConnected } from "../../relay/keep-connected.ts";
import { machineId } from "../../relay/nats/shared-session.ts";
import { followTeam, TeamSessions } from "../../relay/nats/team.ts";
import type { LinkStatus } from "../../relay/relay-status.ts";
import type { CliContext } from "../context.ts";

/**
 * Follows the sessions that wait for the user's teammates, until the signal aborts. Returns a function that returns the
 * current sessions.
 * @throws {CommandError} without a team
 */
export async function followTeams(context: CliContext, signal: AbortSignal): Promise<() => TeamView> {
  const { now } = context;
  const teams = (await teamServers(context)).map(({ name, server }) => {
    const team = {
      name,
      sessions: new TeamSessions(machineId(context.paths)),
      status: undefined as LinkStatus | undefined,
    };
    const link = {
      ...{ name, via: "nats", clock: { ...createClock(), now } },
      connect: followTeam.bind(undefined, server, team.sessions),
      onStatus: (status: LinkStatus) => {
        team.status = status;
      },
    };
    void keepConnected(link, signal);
    return team;
  });
  return () => ({
    sessions: teams.flatMap(({ sessions }) => sessions.all(now())).filter(({ isOwn }) => !isOwn),
    problems: teams.flatMap(({ name, status }) =>
      status?.problem === undefined ? [] : [`${name} cannot be reached: ${status.problem}`],
    ),
  });
}

/** Server that one of this user's teams shares, with the user's credentials and the server's name. */
interface TeamServer {
  readonly name: string;
  readonly server: ServerSource;
}

/**
 * Lists the servers of the configuration.
 * @throws {CommandError} without a server
 * @throws {ConfigError} for an invalid reference
 */
export async function teamServers({
  paths,
  environment,
}: Pick<CliContext, "paths" | "environment">): Promise<readonly TeamServer[]> {
  const { relay } = await loadConfig(paths.config);
  const exec = createExec(environment.env);
  const servers = (relay?.from ?? []).flatMap((source, at) => ("servers" in source ? [{ source, at }] : []));
  if (servers.length === 0) {
    throw new CommandError(
      "no team server is set up on this machine",
      "To join a team, run `beckon relay join FILE` with an invitation for a person.",
    );
  }
  return Promise.all(
    servers.map(async ({ source, at }) => {
      const { value } = await resolveReferences(source, `relay.from[${at}]`, exec);
      return { name: sourceName(source), server: value as ServerSource };
    }),
  );
}
