import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import { type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { DeliveryError } from "../../core/errors.ts";
import type { RelayWay } from "../../core/relay-port.ts";
import type { Envelope } from "../envelope.ts";
import { close, connectNats, deliveryErrorOf } from "./connect.ts";
import { type MachineCredentials, machineCredentialsSchema, readCredentials } from "./credentials.ts";
import { subjectOf, wordOf } from "./names.ts";

/** Longest the server may take to store an event. Nothing else detects a dead server. */
const storeMs = 2_000;
/** Idle time after which a connection is closed: thousands of machines share the server. */
const idleMs = 10_000;

type Way = Extract<RelayWay, { via: "nats" }>;

/** Publishes events to a server, which confirms each once it is stored. */
export class Publisher {
  #line: Line | undefined;

  /**
   * Sends an envelope to each of the people; duplicates are dropped by the server.
   * @throws {DeliveryError} if any of the people does not have the envelope yet
   */
  async publish(way: Way, envelope: Envelope): Promise<void> {
    const line = this.#lineTo(way);
    try {
      await line.send(envelope);
    } catch (error) {
      if (error instanceof JetStreamApiError) throw refusalOf(error);
      if (this.#line === line) this.#line = undefined; // the next envelope opens a new connection
      void line.end();
      throw deliveryErrorOf(error);
    }
  }

  #lineTo(way: Way): Line {
    if (this.#line?.isFor(way) && !this.#line.hasEnded) return this.#line;
    void this.#line?.end();
    this.#line = new Line(way);
    return this.#line;
  }
}

/** One connection with one machine's credentials. */
class Line {
  readonly #way: Way;
  readonly #credentials: MachineCredentials;
  readonly #connection: Promise<NatsConnection>;
  readonly #stream: Promise<JetStreamClient>;
  #refused: PermissionViolationError | undefined;
  #idle: NodeJS.Timeout | undefined;
  hasEnded = false;

  constructor(way: Way) {
    this.#way = way;
    this.#credentials = readCredentials(way.creds, machineCredentialsSchema, "creds");
    this.#connection = connectNats(way.servers, this.#credentials);
    this.#stream = this.#connection.then((connection) => jetstream(connection, { timeout: storeMs }));
    this.#stream.catch(() => {}); // the senders get the error
    void this.#watch();
  }

  isFor({ servers, creds }: Way): boolean {
    return creds === this.#way.creds && servers.join() === this.#way.servers.join();
  }

  async send(envelope: Envelope): Promise<void> {
    clearTimeout(this.#idle);
    const stream = await this.#stream;
    const payload = JSON.stringify(envelope);
    const { team, host, people } = this.#credentials;
    await Promise.all(
      people.map((person) =>
        stream.publish(subjectOf({ team, person, host }, wordOf(envelope.type)), payload, {
          msgID: `${envelope.id}.${person}`,
          timeout: storeMs,
        }),
      ),
    ).catch((error: unknown) => {
      throw this.#refused ?? error;
    });
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.end(), idleMs).unref();
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    clearTimeout(this.#idle);
    const connection = await this.#connection.catch(() => undefined);
    if (connection) await close(connection);
  }

  /** Watches for refused subjects. The server reports them separately and never answers the request. */
  async #watch(): Promise<void> {
    const connection = await this.#connection.catch(() => undefined);
    if (!connection) return;
    for await (const status of connection.status()) {
      if (status.type === "error" && status.error instanceof PermissionViolationError) this.#refused = status.error;
    }
    this.hasEnded = true;
  }
}

/** Maps a stream's refusal of an event to a delivery error. */
function refusalOf(error: JetStreamApiError): DeliveryError {
  if (/maximum (messages|bytes)/.test(error.message)) {
    return new DeliveryError(
      "unavailable",
      "too many events wait at the server already for this person to fetch them",
      {
        hint: "`beckon relay status` on the person's own machine says whether it fetches.",
        cause: error,
      },
    );
  }
  const isTooLarge = /message size/.test(error.message);
  return new DeliveryError(isTooLarge ? "rejected" : "unavailable", `the server did not store it: ${error.message}`, {
    cause: error,
  });
}
