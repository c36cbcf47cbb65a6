import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import { type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { DeliveryError } from "../../core/errors.ts";
import type { RelayWay } from "../../core/relay-port.ts";
import type { Envelope } from "../envelope.ts";
import { close, connectNats, deliveryErrorOf } from "./connect.ts";
import { type MachineCredentials, machineCredentialsSchema, readCredentials } from "./credentials.ts";
import { subjectOf, wordOf } from "./names.ts";

/** How long the server may take to store an event. One that has died is noticed by nothing else. */
const storeMs = 2_000;
/** A connection that nothing has gone over for so long is closed: thousands of machines share the server. */
const idleMs = 10_000;

type Way = Extract<RelayWay, { via: "nats" }>;

/** Hands events to a server, which stores them before it says so. */
export class Publisher {
  #line: Line | undefined;

  /**
   * Sends an envelope to each of the people; what was sent before is sent once.
   * @throws {DeliveryError} where one of them does not have it yet
   */
  async publish(way: Way, envelope: Envelope): Promise<void> {
    const line = this.#lineTo(way);
    try {
      await line.send(envelope);
    } catch (error) {
      if (error instanceof JetStreamApiError) throw refusalOf(error);
      if (this.#line === line) this.#line = undefined; // the next one makes a new connection
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

/** One connection, as one machine. */
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
    this.#stream.catch(() => {}); // told to those who send
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

  /** A subject that these credentials must not use is told beside the request, which then waits in vain. */
  async #watch(): Promise<void> {
    const connection = await this.#connection.catch(() => undefined);
    if (!connection) return;
    for await (const status of connection.status()) {
      if (status.type === "error" && status.error instanceof PermissionViolationError) this.#refused = status.error;
    }
    this.hasEnded = true;
  }
}

/** What it means that the stream does not take an event. */
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
