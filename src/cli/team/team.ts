import type { TeamSession as TeamSessionOutput } from "../../../docs/output.d.ts";
import { agentTitle } from "../../agents/registry.ts";
import type { TeamSession } from "../../attention/sessions.ts";
import type { TeamView } from "../../board/board.ts";
import { loadConfig } from "../../config/load.ts";
import { resolveReferences } from "../../config/references.ts";
import { type ServerSource, sourceName } from "../../config/relay-table.ts";
import { BeckonError, CommandError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { createClock } from "../../io/clock.ts";
import { createExec } from "../../io/exec.ts";
import { keepConnected } from "../../relay/keep-connected.ts";
import { machineId } from "../../relay/nats/shared-session.ts";
import { followTeam, readTeam, TeamSessions } from "../../relay/nats/team.ts";
import type { LinkStatus } from "../../relay/relay-status.ts";
import { shortName } from "../../text/cut.ts";
import { shortDuration } from "../../text/time.ts";
import type { CliContext } from "../context.ts";
import { jsonLine } from "../output/json-line.ts";
import { formatRows, say } from "../say.ts";
import { shortTitle } from "../session-rows.ts";

/** Prints all waiting sessions in the user's teams. @throws {CommandError} if a team cannot be read */
export async function printTeam(json: boolean, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  const nowMs = context.now();
  const problems: string[] = [];
  const readings = await Promise.all(
    (await teamServers(context)).map(({ name, server }) =>
      readTeam(server, paths, nowMs).catch((error: unknown) => {
        if (!(error instanceof BeckonError)) throw error;
        problems.push(`cannot read the sessions of the team on ${name}: ${error.message}`);
        return { sessions: [], unreadable: 0 };
      }),
    ),
  );
  const sessions = readings.flatMap((reading) => reading.sessions);
  const unreadable = readings.reduce((sum, reading) => sum + reading.unreadable, 0);
  if (json) {
    for (const session of sessions) print(jsonLine(toJson(session, nowMs)));
  } else if (sessions.length > 0) {
    print(colors.bold("Waiting in your team"));
    const rows = sessions.map((session) => buildRow(session, nowMs));
    for (const line of formatRows(rows, context)) print(line);
  } else if (problems.length === 0) {
    say("No session is waiting for anyone on your team.", context);
  }
  if (unreadable > 0 && !json) {
    say(`${unreadable} more cannot be decrypted with this machine's key.`, context);
  }
  if (problems.length > 0) throw new CommandError(problems.join("\n"), "For details: beckon relay status");
  return 0;
}

/** Formats a session as a row: person, project and machine, agent, kind, waiting time, and title. */
function buildRow({ person, project, host, agent, kind, atMs, title = "" }: TeamSession, nowMs: number): string[] {
  const waited = shortDuration(Math.max(0, nowMs - atMs));
  const where = `${shortName(project)}@${shortName(host)}`;
  return [shortName(person), where, shortName(agentTitle(agent)), kind, waited, shortTitle(title)];
}

/** Describes a session for JSON. Instants are ISO 8601. */
function toJson({ person, host, project, agent, kind, title, atMs }: TeamSession, nowMs: number): TeamSessionOutput {
  const sinceAt = new Date(atMs).toISOString();
  const times = { sinceAt, waitedMs: Math.max(0, Math.round(nowMs - atMs)) };
  return omitUndefined({ person, kind, ...times, agent, project, host, title });
}

/**
 * Follows the sessions that wait for the user's teammates, until the signal aborts. Returns a function that returns the
 * current sessions.
 * @throws {CommandError} without a team
 */
export async function followTeams(context: CliContext, signal: AbortSignal): Promise<() => TeamView> {
  const { now } = context;
  const teams = (await teamServers(context)).map(({ name, server }) => {
    const sessions = new TeamSessions(machineId(context.paths));
    let problem: string | undefined;
    const onStatus = (status: LinkStatus) => {
      problem = status.problem;
    };
    const connect = followTeam.bind(undefined, server, sessions);
    void keepConnected({ name, via: "nats", clock: { ...createClock(), now }, connect, onStatus }, signal);
    return { sessions, problem: () => problem && `${name} cannot be reached: ${problem}` };
  });
  return () => ({
    sessions: teams.flatMap(({ sessions }) => sessions.all(now())).filter(({ isOwn }) => !isOwn),
    problems: teams.flatMap(({ problem }) => problem() ?? []),
  });
}

/**
 * Lists the servers that this user's teams share, each with its name and the user's credentials.
 * @throws {CommandError} without a server
 * @throws {ConfigError} for an invalid reference
 */
async function teamServers({ paths, environment }: CliContext) {
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
