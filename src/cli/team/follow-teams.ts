import type { TeamView } from "../../board/board.ts";
import { createClock } from "../../io/clock.ts";
import { keepConnected } from "../../relay/keep-connected.ts";
import { machineId } from "../../relay/nats/shared-session.ts";
import { followTeam, TeamSessions } from "../../relay/nats/team.ts";
import type { LinkStatus } from "../../relay/relay-status.ts";
import type { CliContext } from "../context.ts";
import { teamServers } from "./team-servers.ts";

/**
 * Follows the sessions that wait for the user's teammates, until the signal aborts. Returns a function that returns the
 * current sessions.
 * @throws {CommandError} without a team
 */
export async function followTeams(context: CliContext, signal: AbortSignal): Promise<() => TeamView> {
  const now = () => context.now?.() ?? Date.now();
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
