import { isDeepStrictEqual } from "node:util";
import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import * as z from "zod";
import { type Alert, isResolvedByUser, openConcerns } from "../../attention/alert.ts";
import { alertFolder, ChangedAlerts } from "../../attention/alert-files.ts";
import { parseJson } from "../../core/json-value.ts";
import { newId, put } from "../../spool/put.ts";
import { wake } from "../../spool/wake.ts";
import { hourMs } from "../../text/time.ts";
import { type Inbox, stateRecord } from "../receive.ts";
import type { PersonCredentials } from "./credentials.ts";
import { nameToken, seenBucket, sessionsBucket } from "./names.ts";
import { readBucket } from "./read-bucket.ts";
import { machineId, packSession, type SharedSession, sessionsToShare, unpackSession } from "./shared-session.ts";

const pollMs = 500;
/** Pause after a failed update, milliseconds. */
const retryDelayMs = 10_000;
/** Interval for refreshing unchanged sessions, milliseconds. It is well below the time the server keeps a session. */
const refreshEveryMs = hourMs;

interface ShareOptions {
  /** True to share open sessions and seen events; false to share seen events only. */
  readonly sessions?: boolean;
  readonly refreshMs?: number;
}

/**
 * Shares the user's open sessions and seen events with the team. Resolves events that other users have seen. Runs until
 * the connection ends. Failures are retried; never throws.
 */
export async function share(
  connection: NatsConnection,
  credentials: PersonCredentials,
  inbox: Inbox,
  options: ShareOptions = {},
): Promise<void> {
  const ended = new AbortController();
  void connection.closed().then(() => ended.abort());
  while (!ended.signal.aborted) {
    const attempt = new AbortController();
    const signal = AbortSignal.any([ended.signal, attempt.signal]);
    await shareUntil(signal, { connection, credentials, inbox }, options).catch(() => {});
    attempt.abort();
    await inbox.clock.wait(retryDelayMs, ended.signal);
  }
}

interface ShareContext {
  readonly connection: NatsConnection;
  readonly credentials: PersonCredentials;
  readonly inbox: Inbox;
}

async function shareUntil(
  signal: AbortSignal,
  { connection, credentials, inbox }: ShareContext,
  { sessions: areShared = true, refreshMs = refreshEveryMs }: ShareOptions,
): Promise<void> {
  const { paths, clock } = inbox;
  const machine = machineId(paths);
  const seen = new SharedSeen(await new Kvm(connection).open(seenBucket), credentials, inbox);
  const sessions = await SharedSessions.open(connection, credentials, machine, refreshMs);
  const alerts = new OpenAlerts(alertFolder(paths));
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      const changed = alerts.poll();
      await seen.resolve(alerts.all());
      await seen.publish(changed);
      await sessions.update(sessionsToShare(areShared ? alerts.all() : [], machine, clock.now()), clock.now());
      await clock.wait(pollMs, signal);
    }
  };
  await Promise.race([seen.run(connection, signal), poll()]);
}

/** Alerts with open concerns, as found by the last poll of the alert folder. */
class OpenAlerts {
  readonly #changes: ChangedAlerts;
  readonly #open = new Map<string, Alert>();

  constructor(folder: string) {
    this.#changes = new ChangedAlerts(folder);
  }

  /** Polls the folder. Returns all alerts changed since the last poll, including resolved alerts. */
  poll(): readonly Alert[] {
    const changed = this.#changes.read();
    for (const alert of changed) {
      if (openConcerns(alert).length > 0) this.#open.set(alert.key, alert);
      else this.#open.delete(alert.key);
    }
    for (const key of this.#open.keys()) if (!this.#changes.has(key)) this.#open.delete(key);
    return changed;
  }

  all(): readonly Alert[] {
    return [...this.#open.values()];
  }
}

/** User who has seen an event, and the time, Unix milliseconds. Read from the server, so not trusted. */
const seenSchema = z.object({ by: z.string().regex(nameToken), atMs: z.number().min(0) });
type Seen = z.output<typeof seenSchema>;

/** Maximum number of seen events kept in memory. The oldest are dropped first. */
const maxSeen = 100_000;

/** Events that users of a team have seen. Several users may receive the same event. */
class SharedSeen {
  readonly #bucket: KV;
  readonly #credentials: PersonCredentials;
  readonly #inbox: Inbox;
  readonly #seen = new Map<string, Seen>();
  readonly #published = new Set<string>();
  readonly #resolved = new Set<string>();

  constructor(bucket: KV, credentials: PersonCredentials, inbox: Inbox) {
    this.#bucket = bucket;
    this.#credentials = credentials;
    this.#inbox = inbox;
  }

  /** Reads which events other users have seen, until the signal aborts or the connection ends. */
  async run(connection: NatsConnection, signal: AbortSignal): Promise<void> {
    const { team } = this.#credentials;
    const query = { bucket: seenBucket, keys: `${team}.>`, isLive: true };
    for await (const { key, value } of readBucket(connection, this.#credentials, query)) {
      if (signal.aborted) return;
      const seen = value && seenSchema.safeParse(parseJson(Buffer.from(value).toString("utf8"))).data;
      if (!seen) continue;
      this.#seen.set(key.slice(team.length + 1), seen);
      const [oldest = ""] = this.#seen.size > maxSeen ? this.#seen.keys() : [];
      this.#seen.delete(oldest);
    }
  }

  /** Publishes the received events that the user has seen on this machine. Each event is published once. */
  async publish(alerts: readonly Alert[]): Promise<void> {
    const { team, person } = this.#credentials;
    for (const { id, resolvedAtMs = 0, ...concern } of filterRelayed(alerts).flatMap(({ concerns }) => concerns)) {
      if (!isResolvedByUser(concern) || this.#published.has(id)) continue;
      const seen: Seen = { by: person, atMs: resolvedAtMs };
      await this.#bucket.put(`${team}.${id}`, JSON.stringify(seen), { previousSeq: 0 }).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
      this.#published.add(id);
    }
  }

  /** Resolves the open events on this machine that another user has seen. */
  async resolve(alerts: readonly Alert[]): Promise<void> {
    const { paths, clock } = this.#inbox;
    for (const alert of filterRelayed(alerts)) {
      const states = openConcerns(alert).flatMap(({ id }) => {
        const seen = this.#resolved.has(id) ? undefined : this.#seen.get(id);
        return seen
          ? [{ id, state: "resolved", atMs: Math.min(clock.now(), seen.atMs), by: `seen by ${seen.by}` } as const]
          : [];
      });
      if (states.length === 0) continue;
      put(paths.spool, newId(), stateRecord(alert.host, states));
      for (const { id } of states) this.#resolved.add(id);
      await wake(paths);
    }
  }
}

function filterRelayed(alerts: readonly Alert[]) {
  return alerts.flatMap((alert) =>
    alert.isRelayed && alert.host !== undefined ? [{ ...alert, host: alert.host }] : [],
  );
}

/** Tells if an error means that another machine has already written the key. */
function isConflict(error: unknown): boolean {
  const codes: readonly number[] = [
    JetStreamApiCodes.StreamWrongLastSequence,
    JetStreamApiCodes.StreamWrongLastSequenceUnknown,
  ];
  return error instanceof JetStreamApiError && codes.includes(error.code);
}

interface SharedEntry {
  /** Session as it was last written; undefined if an earlier process wrote it. */
  readonly session: SharedSession | undefined;
  readonly atMs: number;
}

/** This machine's entries in the bucket of shared sessions. */
class SharedSessions {
  readonly #bucket: KV;
  readonly #credentials: PersonCredentials;
  readonly #refreshMs: number;
  readonly #shared: Map<string, SharedEntry>;

  private constructor(bucket: KV, credentials: PersonCredentials, refreshMs: number, leftKeys: readonly string[]) {
    this.#bucket = bucket;
    this.#credentials = credentials;
    this.#refreshMs = refreshMs;
    this.#shared = new Map(leftKeys.map((key) => [key, { session: undefined, atMs: Number.NEGATIVE_INFINITY }]));
  }

  /**
   * Opens the bucket and finds the entries that this machine wrote earlier.
   * @param machine id of this machine
   * @param refreshMs interval for writing unchanged sessions again before the server drops them, milliseconds
   */
  static async open(
    connection: NatsConnection,
    credentials: PersonCredentials,
    machine: string,
    refreshMs: number,
  ): Promise<SharedSessions> {
    const leftKeys: string[] = [];
    const query = { bucket: sessionsBucket, keys: `${buildPrefix(credentials)}.>`, isLive: false };
    for await (const { key, value } of readBucket(connection, credentials, query)) {
      const session = value && (await unpackSession(value, credentials.identity));
      if (session?.machine === machine) leftKeys.push(key);
    }
    const bucket = await new Kvm(connection).open(sessionsBucket);
    return new SharedSessions(bucket, credentials, refreshMs, leftKeys);
  }

  /**
   * Writes open sessions to the bucket and deletes this machine's other entries.
   * @param waiting open sessions by the end of their bucket keys, `<host>.<session key>`
   * @throws the client library's errors; the next call tries again
   */
  async update(waiting: ReadonlyMap<string, SharedSession>, nowMs: number): Promise<void> {
    const wanted = new Map(
      [...waiting].map(([suffix, session]) => [`${buildPrefix(this.#credentials)}.${suffix}`, session]),
    );
    for (const [key, session] of wanted) {
      const known = this.#shared.get(key);
      if (known && nowMs - known.atMs < this.#refreshMs && isDeepStrictEqual(known.session, session)) continue;
      await this.#bucket.put(key, await packSession(session, this.#credentials.identity));
      this.#shared.set(key, { session, atMs: nowMs });
    }
    for (const key of this.#shared.keys()) {
      if (wanted.has(key)) continue;
      await this.#bucket.delete(key);
      this.#shared.delete(key);
    }
  }
}

function buildPrefix({ team, person }: PersonCredentials): string {
  return `${team}.${person}`;
}
