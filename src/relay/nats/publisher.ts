import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import { type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { DeliveryError } from "../../core/errors.ts";
import type { RelayTransport } from "../../core/ports.ts";
import { type Envelope, readKind } from "../envelope.ts";
import { close, connectNats, toDeliveryError } from "./connect.ts";
import { type MachineCredentials, machineCredentialsSchema, readCredentials } from "./credentials.ts";
import { buildSubject } from "./names.ts";

/** Longest time the server may take to store an event, milliseconds. Detects a dead server sooner than pings do. */
const storeTimeoutMs = 2_000;
/** Time after which an idle connection is closed, milliseconds. Thousands of machines may share the server. */
const idleCloseMs = 10_000;

type NatsTransport = Extract<RelayTransport, { via: "nats" }>;

/**
 * Creates a function that sends an envelope to each user in `people`. The server confirms each envelope that it has
 * stored, and drops duplicates. The function throws a `DeliveryError` if the server did not store the envelope for every
 * user.
 */
export function createPublisher(): (transport: NatsTransport, envelope: Envelope) => Promise<void> {
  let current: ServerConnection | undefined;
  return async (transport, envelope) => {
    if (!current?.isFor(transport) || current.hasEnded) {
      void current?.end();
      current = new ServerConnection(transport);
    }
    const server = current;
    try {
      await server.send(envelope);
    } catch (error) {
      if (error instanceof JetStreamApiError) throw toRefusalError(error);
      void server.end(); // the next envelope opens a new connection
      throw toDeliveryError(error);
    }
  };
}

/** One connection to the server, with this machine's credentials. */
class ServerConnection {
  readonly #transport: NatsTransport;
  readonly #credentials: MachineCredentials;
  readonly #connection: Promise<NatsConnection>;
  readonly #stream: Promise<JetStreamClient>;
  #refused: PermissionViolationError | undefined;
  #idle: NodeJS.Timeout | undefined;
  hasEnded = false;

  constructor(transport: NatsTransport) {
    this.#transport = transport;
    this.#credentials = readCredentials(transport.creds, machineCredentialsSchema, "creds");
    this.#connection = connectNats(transport.servers, this.#credentials);
    this.#stream = this.#connection.then((connection) => jetstream(connection, { timeout: storeTimeoutMs }));
    this.#stream.catch(() => {}); // `send` reports the error
    void this.#watch();
  }

  isFor({ servers, creds }: NatsTransport): boolean {
    return creds === this.#transport.creds && servers.join() === this.#transport.servers.join();
  }

  async send(envelope: Envelope): Promise<void> {
    clearTimeout(this.#idle);
    const stream = await this.#stream;
    const payload = JSON.stringify(envelope);
    const { team, host, people } = this.#credentials;
    const word = readKind(envelope.type) ?? "state";
    await Promise.all(
      people.map((person) =>
        stream.publish(buildSubject({ team, person, host }, word), payload, { msgID: `${envelope.id}.${person}` }),
      ),
    ).catch((error: unknown) => {
      throw this.#refused ?? error;
    });
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.end(), idleCloseMs).unref();
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    clearTimeout(this.#idle);
    const connection = await this.#connection.catch(() => undefined);
    if (connection) await close(connection);
  }

  /** Records permission errors. The server reports them separately and leaves the request unanswered. */
  async #watch(): Promise<void> {
    const connection = await this.#connection.catch(() => undefined);
    if (!connection) return;
    for await (const status of connection.status()) {
      if (status.type === "error" && status.error instanceof PermissionViolationError) this.#refused = status.error;
    }
    this.hasEnded = true;
  }
}

/** Converts the server's refusal to store an event into a delivery error. */
function toRefusalError(error: JetStreamApiError): DeliveryError {
  if (/maximum (messages|bytes)/.test(error.message)) {
    return new DeliveryError(
      "unavailable",
      "too many events wait at the server already for this person to fetch them",
      {
        hint: "`beckon relay status` on that person's machine says if it fetches.",
        cause: error,
      },
    );
  }
  const isTooLarge = /message size/.test(error.message);
  return new DeliveryError(isTooLarge ? "rejected" : "unavailable", `the server did not store it: ${error.message}`, {
    cause: error,
  });
}
