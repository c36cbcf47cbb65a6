import { createHash } from "node:crypto";
import { type ConsumerMessages, type JsMsg, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { ServerSource } from "../../config/relay-table.ts";
import { ConfigError } from "../../core/errors.ts";
import { parseJson } from "../../core/json-value.ts";
import { wake } from "../../spool/wake.ts";
import { rawEnvelopeSchema } from "../envelope.ts";
import { Intake } from "../intake.ts";
import type { OnChange } from "../keep-connected.ts";
import type { Inbox } from "../receive.ts";
import { close, connectNats, toDeliveryError } from "./connect.ts";
import { personCredentialsSchema, readCredentials } from "./credentials.ts";
import { readSubject, receiverGroup, streamName } from "./names.ts";
import { share } from "./share.ts";

/** Maximum number of events to request in advance, and to keep in memory until they are stored. */
const prefetchCount = 64;
/**
 * Maximum number of unstored events from one machine. The server redelivers further events after `redeliverDelayMs`.
 */
const maxUnstoredPerHost = 16;
const redeliverDelayMs = 1_000;
/** Interval at which the server sends heartbeats, milliseconds. After two missed heartbeats beckon reconnects. */
const heartbeatMs = 5_000;
const requestExpiryMs = 30_000;

/**
 * Connects to a server and stores the user's events, until the connection ends or the signal aborts.
 * @param server server whose `creds` are resolved
 * @returns the reason the connection ended
 */
export async function connectOverNats(
  server: ServerSource,
  inbox: Inbox,
  onChange: OnChange,
  signal: AbortSignal,
): Promise<string> {
  let connection: NatsConnection | undefined;
  const stop = (): void => void (connection && close(connection));
  signal.addEventListener("abort", stop, { once: true });
  try {
    const credentials = readCredentials(server.creds, personCredentialsSchema, "relay.from.creds");
    connection = await connectNats(server.servers, credentials);
    const personalInbox: Inbox = { ...inbox, identity: credentials.identity ?? inbox.identity };
    void share(connection, credentials, personalInbox, { sessions: server.share !== false });
    return await fetchAll(connection, server.durable, personalInbox, onChange);
  } catch (error) {
    return error instanceof ConfigError ? error.message : toDeliveryError(error).message;
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

async function fetchAll(
  connection: NatsConnection,
  durable: string,
  inbox: Inbox,
  onChange: OnChange,
): Promise<string> {
  const consumer = await jetstream(connection).consumers.get(streamName, durable);
  const messages = await consumer.consume({
    max_messages: prefetchCount,
    idle_heartbeat: heartbeatMs,
    expires: requestExpiryMs,
    group: receiverGroup,
  });
  const { version } = connection.info ?? {};
  onChange({ state: "connected", ...(version !== undefined && { version: `NATS ${version}` }) });
  const arrivals = startArrivals(inbox, onChange);
  const fault = watch(messages);
  try {
    for await (const message of messages) await arrivals.accept(message);
  } finally {
    arrivals.end();
  }
  return (await Promise.race([fault, connection.closed().then((error) => error?.message)])) ?? "it has hung up";
}

/** Stops fetching if the server falls silent, or the consumer or the stream is missing. Resolves to the reason. */
async function watch(messages: ConsumerMessages): Promise<string | undefined> {
  let fault: string | undefined;
  for await (const { type } of messages.status()) {
    if (type === "heartbeats_missed") fault = "it does not answer";
    if (type === "consumer_deleted" || type === "consumer_not_found")
      fault = "it no longer keeps anything for this person";
    if (type === "stream_not_found") fault = "it has no stream BECKON";
    if (fault !== undefined) messages.stop();
  }
  return fault;
}

/** Stores and acknowledges the messages from one connection. */
function startArrivals(inbox: Inbox, onChange: OnChange) {
  const unacknowledged = new Map<string, JsMsg>();
  const machines: Record<string, number> = {};
  const intake = new Intake(inbox, prefetchCount, {
    async acknowledge(ids) {
      await wake(inbox.paths);
      let waiting = 0;
      for (const id of ids) {
        const message = unacknowledged.get(id);
        message?.ack();
        waiting = message?.info.pending ?? waiting;
        unacknowledged.delete(id);
      }
      onChange({ lastEventAtMs: inbox.clock.now(), machines: { ...machines }, waiting });
    },
    refuse({ sent: { id } }) {
      unacknowledged.get(id)?.term("it cannot be read, like many before it");
      unacknowledged.delete(id);
    },
  });
  return {
    /**
     * Queues a message for storing. Rejects a malformed message. Returns a message to the server if too many of its
     * machine's messages are not stored yet.
     */
    async accept(message: JsMsg): Promise<void> {
      const { host } = readSubject(message.subject) ?? {};
      const sent = rawEnvelopeSchema.safeParse(parseJson(message.string())).data;
      if (host === undefined || sent === undefined) return reject(message, inbox, host);
      const isQueued = unacknowledged.has(sent.id);
      const unstored = [...unacknowledged.values()].filter(({ subject }) => readSubject(subject)?.host === host);
      if (!isQueued && unstored.length >= maxUnstoredPerHost) return message.nak(redeliverDelayMs);
      unacknowledged.set(sent.id, message); // of two copies of a message, acknowledge the later copy
      if (isQueued) return;
      await intake.waitForRoom();
      intake.add({ sent, sender: { host, aheadMs: 0 } });
      machines[host] = inbox.clock.now();
    },
    end: () => intake.end(),
  };
}

/** Rejects a malformed envelope, so that the server does not redeliver it. */
function reject(message: JsMsg, { rejections, journal }: Inbox, host = "unknown"): void {
  const id = `r_${createHash("sha256").update(message.data).digest("base64url")}`;
  rejections.note({ id, host, reason: "relay.data: it is no envelope", text: message.string() }, journal);
  message.term("it is no envelope");
}
