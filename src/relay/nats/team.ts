import { ConfigError } from "../../core/errors.ts";
import type { TeamSession } from "../../core/team-session.ts";
import type { Paths } from "../../files/paths.ts";
import type { OnChange } from "../keep-connected.ts";
import { close, toDeliveryError, withConnection } from "./connect.ts";
import type { Server } from "./connect-over-nats.ts";
import { personCredentialsSchema, readCredentials } from "./credentials.ts";
import { sessionsBucket } from "./names.ts";
import { readBucket } from "./read-bucket.ts";
import { machineId } from "./shared-session.ts";
import { TeamSessions } from "./team-sessions.ts";

/** Open sessions of a team. */
export interface TeamReading {
  readonly sessions: readonly TeamSession[];
  /** Number of other sessions that could not be read. */
  readonly unreadable: number;
}

/**
 * Reads the open sessions of a server's team.
 * @throws {DeliveryError} `auth`, `unavailable`
 * @throws {ConfigError} if the credentials do not belong to a user's own machine
 */
export async function readTeam(server: Server, paths: Pick<Paths, "relay">, nowMs: number): Promise<TeamReading> {
  const sessions = new TeamSessions(machineId(paths));
  const credentials = readCredentials(server.creds, personCredentialsSchema, "relay.from.creds");
  await withConnection(server.servers, credentials, async (connection) => {
    const query = { bucket: sessionsBucket, keys: `${credentials.team}.>`, isLive: false };
    for await (const entry of readBucket(connection, credentials, query)) await sessions.add(entry, credentials);
  });
  return { sessions: sessions.all(nowMs), unreadable: sessions.countUnreadable(nowMs) };
}

/**
 * Connects to a server and keeps its team's open sessions up to date, until the connection ends or the signal aborts.
 * @returns the reason the connection ended
 */
export async function followTeam(
  server: Server,
  sessions: TeamSessions,
  onChange: OnChange,
  signal: AbortSignal,
): Promise<string> {
  try {
    const credentials = readCredentials(server.creds, personCredentialsSchema, "relay.from.creds");
    return await withConnection(server.servers, credentials, async (connection) => {
      signal.addEventListener("abort", () => void close(connection), { once: true });
      sessions.clear(); // the server does not report sessions deleted since the last connection
      onChange({ state: "connected" });
      const query = { bucket: sessionsBucket, keys: `${credentials.team}.>`, isLive: true };
      for await (const entry of readBucket(connection, credentials, query)) await sessions.add(entry, credentials);
      return "it has hung up";
    });
  } catch (error) {
    return error instanceof ConfigError ? error.message : toDeliveryError(error).message;
  }
}
