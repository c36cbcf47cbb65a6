import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { hourMs } from "../../text/time.ts";
import { maxEnvelopeBytes } from "../envelope.ts";
import {
  allSubjects,
  bucketBytes,
  bucketStream,
  durableOf,
  receiverGroup,
  seenBucket,
  sessionsBucket,
  streamName,
  subjectsTo,
} from "./names.ts";

const nanosPerMs = 1_000_000;
/** How long an event may wait for its receiver, and for how long the same id is known for the same event. */
const keptMs = 72 * hourMs;
/** How many events of a kind may wait from one machine for one person. */
const maxWaiting = 200;
/** Room for headers beside the envelope. */
const headerBytes = 4_096;
const takeOverMs = 5_000;
const ackMs = 10_000;
const maxUnacknowledged = 500;
/** Readers of a stream at a time, one a person and page. Where nothing is said, a server of 2.15 takes a thousand. */
const maxReaders = 20_000;
/** How long a session of the team's is known that its machine does not speak of any more. */
export const sessionKeptMs = 6 * hourMs;
/** Most that a session may take, sealed: its few short texts fit easily. */
const maxSessionBytes = 8_192;
const maxSeenBytes = 1_024;

/** How large and how safe what is kept is to be. */
export interface Sizes {
  /** How many servers of a cluster keep each event: 1 or 3. */
  readonly replicas: number;
  /** What the stream may take of the disk, bytes; the server reserves it at once. */
  readonly maxBytes: number;
}

/**
 * Makes what events go through: the stream, and the buckets of what a team shares. What is there is brought up to date.
 */
export async function ensureObjects(connection: NatsConnection, { replicas, maxBytes }: Sizes): Promise<void> {
  const manager = await jetstreamManager(connection);
  const known = new Set<string>();
  for await (const name of manager.streams.names()) known.add(name);
  const ensure = (settings: Partial<StreamConfig> & Pick<StreamConfig, "name">) =>
    known.has(settings.name) ? manager.streams.update(settings.name, settings) : manager.streams.add(settings);
  const kept = {
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_consumers: maxReaders,
    num_replicas: replicas,
  };
  await ensure({
    ...kept,
    name: streamName,
    subjects: [allSubjects],
    retention: RetentionPolicy.Workqueue,
    discard_new_per_subject: true,
    max_msgs_per_subject: maxWaiting,
    max_msg_size: maxEnvelopeBytes + headerBytes,
    max_age: keptMs * nanosPerMs,
    duplicate_window: keptMs * nanosPerMs,
    max_bytes: maxBytes,
  });
  const bucket = {
    ...kept,
    retention: RetentionPolicy.Limits,
    max_msgs_per_subject: 1,
    max_bytes: bucketBytes,
    // A header would else let whoever may write one key delete those of all others.
    allow_rollup_hdrs: false,
  };
  const ofBucket = (name: string) => ({ ...bucket, name: bucketStream(name), subjects: [`$KV.${name}.>`] });
  await ensure({
    ...ofBucket(sessionsBucket),
    max_age: sessionKeptMs * nanosPerMs,
    max_msg_size: maxSessionBytes + headerBytes,
  });
  await ensure({
    ...ofBucket(seenBucket),
    max_age: keptMs * nanosPerMs,
    max_msg_size: maxSeenBytes + headerBytes,
  });
}

/** Makes the durable consumer of a person's receivers: from now on what is sent to the person waits there. */
export async function ensureReceiver(
  connection: NatsConnection,
  to: { readonly team: string; readonly person: string },
): Promise<void> {
  const manager = await jetstreamManager(connection);
  await manager.consumers.add(streamName, {
    durable_name: durableOf(to),
    filter_subject: subjectsTo(to),
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: ackMs * nanosPerMs,
    max_ack_pending: maxUnacknowledged,
    priority_policy: "pinned_client",
    priority_groups: [receiverGroup],
    priority_timeout: takeOverMs * nanosPerMs,
  });
}
