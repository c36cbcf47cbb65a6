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
  const seen = shareSeen(await new Kvm(connection).open(seenBucket), credentials, inbox);
  const updateSessions = await openSessions(connection, credentials, machine, refreshMs);
  const alerts = new ChangedAlerts(alertFolder(paths));
  const open = new Map<string, Alert>();
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      const changed = alerts.read();
      for (const alert of changed) open.set(alert.key, alert);
      for (const [key, alert] of open) if (openConcerns(alert).length === 0 || !alerts.has(key)) open.delete(key);
      const waiting = [...open.values()];
      await seen.resolve(waiting);
      await seen.publish(changed);
      await updateSessions(sessionsToShare(areShared ? waiting : [], machine, clock.now()), clock.now());
      await clock.wait(pollMs, signal);
    }
  };
  await Promise.race([seen.run(connection, signal), poll()]);
}

/** User who has seen an event, and the time, Unix milliseconds. Read from the server, so not trusted. */
const seenSchema = z.object({ by: z.string().regex(nameToken), atMs: z.number().min(0) });
type Seen = z.output<typeof seenSchema>;

/** Maximum number of seen events kept in memory. The oldest are dropped first. */
const maxSeen = 100_000;

/** Shares the events that users of a team have seen. Several users may receive the same event. */
function shareSeen(bucket: KV, credentials: PersonCredentials, { paths, clock }: Inbox) {
  const { team, person } = credentials;
  const seenByOthers = new Map<string, Seen>();
  const published = new Set<string>();
  const resolved = new Set<string>();
  return {
    /** Reads which events other users have seen, until the signal aborts or the connection ends. */
    async run(connection: NatsConnection, signal: AbortSignal): Promise<void> {
      const query = { bucket: seenBucket, keys: `${team}.>`, isLive: true };
      for await (const { key, value } of readBucket(connection, credentials, query)) {
        if (signal.aborted) return;
        const seen = value && seenSchema.safeParse(parseJson(Buffer.from(value).toString("utf8"))).data;
        if (!seen) continue;
        seenByOthers.set(key.slice(team.length + 1), seen);
        const [oldest = ""] = seenByOthers.size > maxSeen ? seenByOthers.keys() : [];
        seenByOthers.delete(oldest);
      }
    },

    /** Publishes the received events that the user has seen on this machine. Each event is published once. */
    async publish(alerts: readonly Alert[]): Promise<void> {
      for (const { id, resolvedAtMs = 0, ...concern } of filterRelayed(alerts).flatMap(({ concerns }) => concerns)) {
        if (!isResolvedByUser(concern) || published.has(id)) continue;
        const seen: Seen = { by: person, atMs: resolvedAtMs };
        await bucket.put(`${team}.${id}`, JSON.stringify(seen), { previousSeq: 0 }).catch((error: unknown) => {
          if (!isConflict(error)) throw error;
        });
        published.add(id);
      }
    },

    /** Resolves the open events on this machine that another user has seen. */
    async resolve(alerts: readonly Alert[]): Promise<void> {
      for (const alert of filterRelayed(alerts)) {
        const states = openConcerns(alert).flatMap(({ id }) => {
          const seen = resolved.has(id) ? undefined : seenByOthers.get(id);
          return seen
            ? [{ id, state: "resolved", atMs: Math.min(clock.now(), seen.atMs), by: `seen by ${seen.by}` } as const]
            : [];
        });
        if (states.length === 0) continue;
        put(paths.spool, newId(), stateRecord(alert.host, states));
        for (const { id } of states) resolved.add(id);
        await wake(paths);
      }
    },
  };
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

/**
 * Opens the bucket of shared sessions and finds the entries that this machine wrote earlier. Returns a function that
 * writes open sessions to the bucket and deletes this machine's other entries. The function takes the sessions by the
 * end of their bucket keys, `<host>.<session key>`, and throws the client library's errors; the next call tries again.
 * @param machine id of this machine
 * @param refreshMs interval for writing unchanged sessions again before the server drops them, milliseconds
 */
async function openSessions(
  connection: NatsConnection,
  credentials: PersonCredentials,
  machine: string,
  refreshMs: number,
): Promise<(waiting: ReadonlyMap<string, SharedSession>, nowMs: number) => Promise<void>> {
  const { team, person, identity } = credentials;
  const prefix = `${team}.${person}.`;
  // The session as it was last written; undefined if an earlier process wrote it.
  const shared = new Map<string, { readonly session: SharedSession | undefined; readonly atMs: number }>();
  const query = { bucket: sessionsBucket, keys: `${prefix}>`, isLive: false };
  for await (const { key, value } of readBucket(connection, credentials, query)) {
    const session = value && (await unpackSession(value, identity));
    if (session?.machine === machine) shared.set(key, { session: undefined, atMs: Number.NEGATIVE_INFINITY });
  }
  const bucket = await new Kvm(connection).open(sessionsBucket);
  return async (waiting, nowMs) => {
    const wanted = new Map([...waiting].map(([suffix, session]) => [prefix + suffix, session]));
    for (const [key, session] of wanted) {
      const known = shared.get(key);
      if (known && nowMs - known.atMs < refreshMs && isDeepStrictEqual(known.session, session)) continue;
      await bucket.put(key, await packSession(session, identity));
      shared.set(key, { session, atMs: nowMs });
    }
    for (const key of shared.keys()) {
      if (wanted.has(key)) continue;
      await bucket.delete(key);
      shared.delete(key);
    }
  };
}
