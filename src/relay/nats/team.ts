import type { NatsConnection } from "@nats-io/transport-node";
import type { TeamSession } from "../../attention/sessions.ts";
import type { ServerSource } from "../../config/relay-table.ts";
import { ConfigError } from "../../core/errors.ts";
import { kinds } from "../../core/vocabulary.ts";
import type { Paths } from "../../files/paths.ts";
import type { OnChange } from "../keep-connected.ts";
import { close, toDeliveryError, withConnection } from "./connect.ts";
import { type PersonCredentials, personCredentialsSchema, readCredentials } from "./credentials.ts";
import { sessionMaxAgeMs } from "./ensure-streams.ts";
import { sessionsBucket } from "./names.ts";
import { type BucketEntry, readBucket } from "./read-bucket.ts";
import { machineId, readSessionKey, unpackSession } from "./shared-session.ts";

/**
 * Reads the open sessions of a server's team, and counts other sessions that could not be read.
 * @throws {DeliveryError} `auth`, `unavailable`
 * @throws {ConfigError} if the credentials do not belong to a user's own machine
 */
export async function readTeam(server: ServerSource, paths: Pick<Paths, "relay">, nowMs: number) {
  const sessions = new TeamSessions(machineId(paths));
  await readInto(sessions, server, false);
  return { sessions: sessions.all(nowMs), unreadable: sessions.countUnreadable(nowMs) };
}

/**
 * Connects to a server and keeps its team's open sessions up to date, until the connection ends or the signal aborts.
 * @returns the reason the connection ended
 */
export async function followTeam(
  server: ServerSource,
  sessions: TeamSessions,
  onChange: OnChange,
  signal: AbortSignal,
): Promise<string> {
  try {
    await readInto(sessions, server, true, (connection) => {
      signal.addEventListener("abort", () => void close(connection), { once: true });
      sessions.clear(); // the server does not report sessions deleted since the last connection
      onChange({ state: "connected" });
    });
    return "it has hung up";
  } catch (error) {
    return error instanceof ConfigError ? error.message : toDeliveryError(error).message;
  }
}

async function readInto(
  sessions: TeamSessions,
  server: ServerSource,
  isLive: boolean,
  onConnected: (connection: NatsConnection) => void = () => {},
): Promise<void> {
  const credentials = readCredentials(server.creds, personCredentialsSchema, "relay.from.creds");
  await withConnection(server.servers, credentials, async (connection) => {
    onConnected(connection);
    const query = { bucket: sessionsBucket, keys: `${credentials.team}.>`, isLive };
    for await (const entry of readBucket(connection, credentials, query)) await sessions.add(entry, credentials);
  });
}

/** Maximum number of sessions kept for a team. A real team never has more. */
const maxSessions = 5_000;

/** A team's sessions, read from the bucket. */
export class TeamSessions {
  readonly #machine: string;
  readonly #entries = new Map<string, { readonly session: TeamSession | undefined; readonly putAtMs: number }>();

  /** @param machine id of this machine, whose sessions are marked as `isOwn` */
  constructor(machine: string) {
    this.#machine = machine;
  }

  /** Adds or removes the session in an entry. User and host come from the key, which the server has checked. */
  async add({ key, value, atMs }: BucketEntry, { team, identity }: PersonCredentials): Promise<void> {
    const owner = readSessionKey(key, team);
    if (!owner) return;
    this.#entries.delete(key);
    if (value === undefined || this.#entries.size >= maxSessions) return;
    const shared = await unpackSession(value, identity);
    const session = shared && { ...shared, ...owner, isOwn: shared.machine === this.#machine };
    this.#entries.set(key, { session, putAtMs: atMs });
  }

  /** Lists the sessions by urgency. Within the same urgency, the oldest comes first. */
  all(nowMs: number): TeamSession[] {
    const sessions = this.#current(nowMs).flatMap(({ session }) => session ?? []);
    return sessions.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.atMs - b.atMs);
  }

  /** Counts unreadable sessions: malformed, or sealed with another key. */
  countUnreadable(nowMs: number): number {
    return this.#current(nowMs).filter(({ session }) => !session).length;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Returns the entries that the server still keeps. */
  #current(nowMs: number) {
    return [...this.#entries.values()].filter(({ putAtMs }) => nowMs - putAtMs < sessionMaxAgeMs);
  }
}
