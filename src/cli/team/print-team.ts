import { BeckonError, CommandError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { TeamSession } from "../../core/team-session.ts";
import { readTeam } from "../../relay/nats/team.ts";
import { shortDuration } from "../../text/local-time.ts";
import { fitRows } from "../columns.ts";
import { type CliContext, lineCells } from "../context.ts";
import { say } from "../say.ts";
import { shortName, shortTitle } from "../session-rows.ts";
import { teamServers } from "./team-servers.ts";

/** Prints what waits for whom in the person's teams. @throws {CommandError} where one of them cannot be read */
export async function printTeam(json: boolean, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  const nowMs = context.now?.() ?? Date.now();
  const problems: string[] = [];
  const readings = await Promise.all(
    (await teamServers(context)).map(({ name, server }) =>
      readTeam(server, paths, nowMs).catch((error: unknown) => {
        if (!(error instanceof BeckonError)) throw error;
        problems.push(`what the team shares at ${name} cannot be read: ${error.message}`);
        return { sessions: [], unreadable: 0 };
      }),
    ),
  );
  const sessions = readings.flatMap((reading) => reading.sessions);
  const unreadable = readings.reduce((sum, reading) => sum + reading.unreadable, 0);
  if (json) {
    for (const session of sessions) print(JSON.stringify(jsonOf(session, nowMs)));
  } else if (sessions.length > 0) {
    print(colors.bold("Waiting in the team"));
    const rows = fitRows(
      sessions.map((session) => rowOf(session, nowMs)),
      lineCells(context) - 2,
    );
    for (const line of rows) print(`  ${line}`);
  } else if (problems.length === 0) {
    say("No agent waits for anybody in the team.", context);
  }
  if (unreadable > 0 && !json) {
    say(`${unreadable} more cannot be read: sealed with another key than this machine has.`, context);
  }
  if (problems.length > 0) throw new CommandError(problems.join("\n"), "`beckon relay status` says how it goes.");
  return 0;
}

/** For whom, project and machine, agent, kind, how long, and the session's title. */
function rowOf({ person, project, host, agent, kind, atMs, title = "" }: TeamSession, nowMs: number): string[] {
  const waited = shortDuration(Math.max(0, nowMs - atMs));
  const where = `${shortName(project)}@${shortName(host)}`;
  return [shortName(person), where, shortName(agent), kind, waited, shortTitle(title)];
}

/** Instants are ISO 8601. */
function jsonOf({ person, host, project, agent, kind, title, atMs }: TeamSession, nowMs: number) {
  const since = new Date(atMs).toISOString();
  const times = { since, waitedMs: Math.max(0, nowMs - atMs) };
  return omitUndefined({ person, kind, ...times, agent, project, host, title });
}
