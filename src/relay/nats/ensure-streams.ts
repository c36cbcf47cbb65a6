import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { hourMs } from "../../text/time.ts";
import { maxEnvelopeBytes } from "../envelope.ts";
import {
  allSubjects,
  bucketBytes,
  bucketStream,
  buildDurableName,
  type Route,
  receiverGroup,
  seenBucket,
  sessionsBucket,
  streamName,
  subjectsTo,
} from "./names.ts";

/**
 * Maximum time that an event waits for its receiver: 72 hours. During this time, the server drops further events with
 * the same id.
 */
const eventMaxAgeMs = 72 * hourMs;
/** Maximum number of waiting events of one kind, from one machine for one user. */
const maxWaitingPerSubject = 200;
/** Space for message headers in addition to the message itself, bytes. */
const headerBytes = 4_096;
const takeoverTimeoutMs = 5_000;
const ackTimeoutMs = 10_000;
const maxUnacknowledged = 500;
/** Maximum number of readers of a stream. Each user and each open board needs one; the default is 1,000. */
const maxReaders = 20_000;
/** Time the server keeps a shared session after the last update from its machine, milliseconds. */
export const sessionMaxAgeMs = 6 * hourMs;
/** Maximum size of a sealed session, bytes. */
const maxSessionBytes = 8_192;
const maxSeenBytes = 1_024;

/** Storage size and number of copies. */
export interface Sizes {
  /** Number of servers that store each event: 1, or 3 in a cluster. */
  readonly replicas: number;
  /** Disk space for the stream, bytes. The server reserves the space immediately. */
  readonly maxBytes: number;
}

/** Creates or updates the stream and the team's buckets. */
export async function ensureObjects(connection: NatsConnection, { replicas, maxBytes }: Sizes): Promise<void> {
  const manager = await jetstreamManager(connection);
  const known = new Set<string>();
  for await (const name of manager.streams.names()) known.add(name);
  const ensure = (settings: Partial<StreamConfig> & Pick<StreamConfig, "name">) =>
    known.has(settings.name) ? manager.streams.update(settings.name, settings) : manager.streams.add(settings);
  const common = {
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_consumers: maxReaders,
    num_replicas: replicas,
  };
  await ensure({
    ...common,
    name: streamName,
    subjects: [allSubjects],
    retention: RetentionPolicy.Workqueue,
    discard_new_per_subject: true,
    max_msgs_per_subject: maxWaitingPerSubject,
    max_msg_size: maxEnvelopeBytes + headerBytes,
    max_age: nanos(eventMaxAgeMs),
    duplicate_window: nanos(eventMaxAgeMs),
    max_bytes: maxBytes,
  });
  const ensureBucket = (name: string, maxAgeMs: number, maxValueBytes: number) =>
    ensure({
      ...common,
      name: bucketStream(name),
      subjects: [`$KV.${name}.>`],
      retention: RetentionPolicy.Limits,
      max_msgs_per_subject: 1,
      max_msg_size: maxValueBytes + headerBytes,
      max_age: nanos(maxAgeMs),
      max_bytes: bucketBytes,
      // With rollup headers, a user who may write one key could delete all other keys.
      allow_rollup_hdrs: false,
    });
  await ensureBucket(sessionsBucket, sessionMaxAgeMs, maxSessionBytes);
  await ensureBucket(seenBucket, eventMaxAgeMs, maxSeenBytes);
}

/** Creates the durable consumer for a user's machines. From then on, the server keeps the user's events. */
export async function ensureReceiver(connection: NatsConnection, to: Pick<Route, "team" | "person">): Promise<void> {
  const manager = await jetstreamManager(connection);
  await manager.consumers.add(streamName, {
    durable_name: buildDurableName(to),
    filter_subject: subjectsTo(to),
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackTimeoutMs),
    max_ack_pending: maxUnacknowledged,
    priority_policy: "pinned_client",
    priority_groups: [receiverGroup],
    priority_timeout: nanos(takeoverTimeoutMs),
  });
}
