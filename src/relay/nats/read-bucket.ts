import { AckPolicy, DeliverPolicy, jetstreamManager } from "@nats-io/jetstream";
import { createInbox, type NatsConnection, nanos, nuid } from "@nats-io/transport-node";
import { DeliveryError } from "../../core/errors.ts";
import { buildInboxPrefix, derivePublicKey, type PersonCredentials } from "./credentials.ts";
import { bucketStream } from "./names.ts";

/** Newest entry for one key. */
export interface BucketEntry {
  readonly key: string;
  /** Value; undefined if the key was deleted. */
  readonly value: Uint8Array | undefined;
  /** Time the server stored the entry, Unix milliseconds. */
  readonly atMs: number;
}

interface BucketQuery {
  readonly bucket: string;
  /** Keys to read, with wildcards: `team.>`. */
  readonly keys: string;
  /** If true, reading continues with later changes. If false, reading ends after the current entries. */
  readonly isLive: boolean;
}

/** Interval at which the server sends heartbeats while no entry changes, milliseconds. */
const heartbeatMs = 2_000;
const silenceTimeoutMs = 3 * heartbeatMs;
/**
 * Maximum time for reading the current entries, milliseconds. In a bucket that keeps changing, reading might never
 * catch up.
 */
const readTimeoutMs = 30_000;
/** Time after which the server removes the consumer of a reader that has gone, milliseconds. */
const consumerIdleMs = 10_000;

/**
 * Yields the newest entry for each key in a bucket. Does not use the client's `watch` and `history`: the server keeps
 * their consumers for five minutes, and `history` may hang if its consumer expires while reading.
 * @throws {DeliveryError} `unavailable` if the server falls silent
 * @throws the client library's errors
 */
export async function* readBucket(
  connection: NatsConnection,
  { seed }: Pick<PersonCredentials, "seed">,
  { bucket, keys, isLive }: BucketQuery,
): AsyncGenerator<BucketEntry> {
  const prefix = `$KV.${bucket}.`;
  const inbox = createInbox(buildInboxPrefix(derivePublicKey(seed)));
  const messages = connection.subscribe(inbox);
  let timer: NodeJS.Timeout | undefined;
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const { num_pending } = await manager.consumers.add(bucketStream(bucket), {
      name: nuid.next(),
      deliver_subject: inbox,
      filter_subject: `${prefix}${keys}`,
      deliver_policy: DeliverPolicy.LastPerSubject,
      ack_policy: AckPolicy.None,
      idle_heartbeat: nanos(heartbeatMs),
      inactive_threshold: nanos(consumerIdleMs),
      mem_storage: true,
      num_replicas: 1,
    });
    if (num_pending === 0 && !isLive) return;
    const startedAtMs = performance.now();
    let isSilent = false;
    timer = setTimeout(() => {
      isSilent = true;
      messages.unsubscribe();
    }, silenceTimeoutMs);
    for await (const message of messages) {
      timer.refresh();
      const { code = 0, description = "" } = message.headers ?? {};
      if (code !== 0 && code !== heartbeatCode) throw new DeliveryError("unavailable", description);
      if (code === heartbeatCode && !isLive) return;
      if (code !== 0) continue;
      const { data, subject, reply = "" } = message;
      const { atMs, pending } = readReply(reply);
      yield { key: subject.slice(prefix.length), value: message.headers?.has("KV-Operation") ? undefined : data, atMs };
      if (!isLive && (pending === 0 || performance.now() - startedAtMs > readTimeoutMs)) return;
    }
    if (isSilent || !isLive) throw new DeliveryError("unavailable", "it does not answer");
  } finally {
    clearTimeout(timer);
    messages.unsubscribe();
  }
}

const heartbeatCode = 100;

/**
 * Reads from an acknowledgement subject when the message was stored and how many messages come after it.
 * https://github.com/nats-io/nats-architecture-and-design/blob/main/adr/ADR-15.md#jsack
 */
function readReply(reply: string): { readonly atMs: number; readonly pending: number } {
  const words = reply.split(".");
  const [nanoseconds, pending] = words.length === 9 ? words.slice(7) : words.slice(9);
  return { atMs: Number(nanoseconds) / 1_000_000, pending: Number(pending) };
}
