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
  /** Number of further sessions that cannot be read. */
  readonly unreadable: number;
}

/**
 * Reads the open sessions of the team of a server.
 * @throws {DeliveryError} `auth`, `unavailable`
 * @throws {ConfigError} unless the credentials are those of a person
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
 * Runs one connection to a server and follows its team's open sessions, until it ends or the signal aborts.
 * @returns the reason it ended
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
      sessions.clear(); // deletions since the last connection are not reported
      onChange({ state: "connected" });
      const query = { bucket: sessionsBucket, keys: `${credentials.team}.>`, isLive: true };
      for await (const entry of readBucket(connection, credentials, query)) await sessions.add(entry, credentials);
      return "it has hung up";
    });
  } catch (error) {
    return error instanceof ConfigError ? error.message : toDeliveryError(error).message;
  }
}
