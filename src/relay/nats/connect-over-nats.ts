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
  const arrivals = new Arrivals(inbox, onChange);
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

/** Unacknowledged messages from one connection. */
class Arrivals {
  readonly #inbox: Inbox;
  readonly #onChange: OnChange;
  readonly #intake: Intake;
  readonly #unacknowledged = new Map<string, JsMsg>();
  readonly #machines: Record<string, number> = {};

  constructor(inbox: Inbox, onChange: OnChange) {
    this.#inbox = inbox;
    this.#onChange = onChange;
    this.#intake = new Intake(inbox, prefetchCount, {
      acknowledge: (ids) => this.#acknowledge(ids),
      refuse: ({ sent: { id } }) => {
        this.#unacknowledged.get(id)?.term("it cannot be read, like many before it");
        this.#unacknowledged.delete(id);
      },
    });
  }

  /**
   * Queues a message for storing. Rejects a malformed message. Returns a message to the server if too many of its
   * machine's messages are not stored yet.
   */
  async accept(message: JsMsg): Promise<void> {
    const { host } = readSubject(message.subject) ?? {};
    const sent = rawEnvelopeSchema.safeParse(parseJson(message.string())).data;
    if (host === undefined || sent === undefined) return this.#reject(message, host);
    const isQueued = this.#unacknowledged.has(sent.id);
    const unstored = [...this.#unacknowledged.values()].filter(({ subject }) => readSubject(subject)?.host === host);
    if (!isQueued && unstored.length >= maxUnstoredPerHost) return message.nak(redeliverDelayMs);
    this.#unacknowledged.set(sent.id, message); // of two copies of a message, acknowledge the later copy
    if (isQueued) return;
    await this.#intake.waitForRoom();
    this.#intake.add({ sent, sender: { host, aheadMs: 0 } });
    this.#machines[host] = this.#inbox.clock.now();
  }

  end(): void {
    this.#intake.end();
  }

  async #acknowledge(ids: readonly string[]): Promise<void> {
    await wake(this.#inbox.paths);
    let waiting = 0;
    for (const id of ids) {
      const message = this.#unacknowledged.get(id);
      message?.ack();
      waiting = message?.info.pending ?? waiting;
      this.#unacknowledged.delete(id);
    }
    this.#onChange({ lastEventAtMs: this.#inbox.clock.now(), machines: { ...this.#machines }, waiting });
  }

  /** Rejects a malformed envelope, so that the server does not redeliver it. */
  #reject(message: JsMsg, host = "unknown"): void {
    const { rejections, journal } = this.#inbox;
    const id = `r_${createHash("sha256").update(message.data).digest("base64url")}`;
    rejections.note({ id, host, reason: "relay.data: it is no envelope", text: message.string() }, journal);
    message.term("it is no envelope");
  }
}
