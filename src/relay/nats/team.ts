import type { NatsConnection } from "@nats-io/transport-node";
import { ConfigError } from "../../core/errors.ts";
import type { TeamSession } from "../../core/team-session.ts";
import type { Paths } from "../../files/paths.ts";
import type { OnChange } from "../keep-up.ts";
import { bucketEntries } from "./bucket-entries.ts";
import { close, connectNats, deliveryErrorOf } from "./connect.ts";
import { type PersonCredentials, personCredentialsSchema, readCredentials } from "./credentials.ts";
import { sessionsBucket } from "./names.ts";
import type { Server } from "./receive-from-server.ts";
import { machineId } from "./shared-session.ts";
import { TeamSessions } from "./team-sessions.ts";

/** What waits for whom in a team. */
export interface TeamReading {
  readonly sessions: readonly TeamSession[];
  /** How many more there are that cannot be read. */
  readonly unreadable: number;
}

/**
 * What waits for whom in the team of a server.
 * @throws {DeliveryError} `auth`, `unavailable`
 * @throws {ConfigError} for what are no credentials of a person
 */
export async function readTeam(server: Server, paths: Pick<Paths, "relay">, nowMs: number): Promise<TeamReading> {
  const sessions = new TeamSessions(machineId(paths));
  await withConnection(server, async (connection, credentials) => {
    const asked = { bucket: sessionsBucket, keys: `${credentials.team}.>`, isLive: false };
    for await (const entry of bucketEntries(connection, credentials, asked)) await sessions.take(entry, credentials);
  });
  return { sessions: sessions.all(nowMs), unreadable: sessions.unreadable(nowMs) };
}

/**
 * Holds one connection to a server, and takes in what waits for whom in its team, until it ends or the signal aborts.
 * @returns why it ended
 */
export async function followTeam(
  server: Server,
  sessions: TeamSessions,
  onChange: OnChange,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await withConnection(server, async (connection, credentials) => {
      signal.addEventListener("abort", () => void close(connection), { once: true });
      sessions.clear(); // what was deleted since the last connection is not told
      onChange({ state: "connected" });
      const asked = { bucket: sessionsBucket, keys: `${credentials.team}.>`, isLive: true };
      for await (const entry of bucketEntries(connection, credentials, asked)) await sessions.take(entry, credentials);
      return "it has hung up";
    });
  } catch (error) {
    return error instanceof ConfigError ? error.message : deliveryErrorOf(error).message;
  }
}

async function withConnection<Result>(
  server: Server,
  act: (connection: NatsConnection, credentials: PersonCredentials) => Promise<Result>,
): Promise<Result> {
  const credentials = readCredentials(server.creds, personCredentialsSchema, "relay.from.creds");
  const connection = await connectNats(server.servers, credentials);
  try {
    return await act(connection, credentials);
  } catch (error) {
    throw deliveryErrorOf(error);
  } finally {
    await close(connection);
  }
}
