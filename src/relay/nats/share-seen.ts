import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import * as z from "zod";
import { type Alert, isResolvedByUser, openConcerns } from "../../attention/alert.ts";
import { parseJson } from "../../core/json-value.ts";
import { newId, put } from "../../spool/put.ts";
import { wake } from "../../spool/wake.ts";
import { type Inbox, stateRecord } from "../receive.ts";
import type { PersonCredentials } from "./credentials.ts";
import { nameToken, seenBucket } from "./names.ts";
import { readBucket } from "./read-bucket.ts";

/** User who has seen an event, and the time, Unix milliseconds. Read from the server, so not trusted. */
const seenSchema = z.object({ by: z.string().regex(nameToken), atMs: z.number().min(0) });
type Seen = z.output<typeof seenSchema>;

/** Maximum number of seen events kept in memory. The oldest are dropped first. */
const maxSeen = 100_000;

/** Events that users of a team have seen. Several users may receive the same event. */
export class SharedSeen {
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
