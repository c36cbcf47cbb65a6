import { connect, type Socket } from "node:net";
import {
  type BusMessage,
  type BusValue,
  decodeMessage,
  encodeMessage,
  messageSize,
  messageTypes,
} from "./bus-message.ts";
import { readMessages } from "./read-messages.ts";

/** Method call on a bus. */
export type BusCall = Required<Pick<BusMessage, "destination" | "path" | "interface" | "member">> &
  Partial<Pick<BusMessage, "signature" | "startsService" | "body">>;

/** Addresses a service whose path and interface follow from its name, as is usual. */
export function usual(destination: string) {
  return { destination, path: `/${destination.replaceAll(".", "/")}`, interface: destination };
}

/** Address of the bus itself, for calling the bus's own methods. */
export const theBus = usual("org.freedesktop.DBus");

/** Error from the bus. `name` is the bus's error name, or `connection` if there is no connection. */
export class BusError extends Error {
  override readonly name: string;
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** Short-lived connection to a D-Bus. Other users cannot read texts on its socket, unlike a program's arguments. */
export class SessionBus {
  readonly #socket: Socket;
  readonly #replies = new Map<number, { resolve(body: readonly BusValue[]): void; reject(error: Error): void }>();
  #serial = 0;
  #onSignal: (signal: BusMessage) => void = () => {};

  private constructor(socket: Socket, received: Buffer) {
    this.#socket = socket;
    const handle = (bytes: Buffer): void => {
      const decoded = decodeMessage(bytes);
      if (decoded) this.#settle(decoded.message);
    };
    readMessages(socket, { readSize: messageSize, handle }, received);
    socket.on("close", () => this.#fail(new BusError("connection", "the session bus closed the connection")));
  }

  /**
   * Connects to the first address that answers, and performs the handshake.
   * @param addresses as in `DBUS_SESSION_BUS_ADDRESS`: `unix:path=/run/user/1000/bus;unix:abstract=…`
   * @throws {BusError} `connection` if no address answers or the signal aborts
   */
  static async open(addresses: string, signal: AbortSignal): Promise<SessionBus> {
    const socket = await connectToAny(addresses, signal);
    const bus = new SessionBus(socket, await authenticate(socket));
    await bus.call({ ...theBus, member: "Hello" });
    return bus;
  }

  /** Calls a method. Resolves to the values in the reply. @throws {BusError} the service's or the bus's error */
  call({ body = [], ...call }: BusCall): Promise<readonly BusValue[]> {
    this.#serial += 1;
    const serial = this.#serial;
    return new Promise((resolve, reject) => {
      this.#replies.set(serial, { resolve, reject });
      this.#socket.write(encodeMessage({ ...call, body, serial, type: messageTypes.call }));
    });
  }

  /**
   * Subscribes to the signals that match a D-Bus match rule, and calls `onSignal` for each signal that arrives. @throws
   * {BusError}
   */
  async listen(rule: string, onSignal: (signal: BusMessage) => void): Promise<void> {
    this.#onSignal = onSignal;
    await this.call({ ...theBus, member: "AddMatch", signature: "s", body: [rule] });
  }

  /** Lets this process exit even if the connection is open. */
  stayInBackground(): void {
    this.#socket.unref();
  }

  close(): void {
    this.#socket.destroy();
  }

  #settle(message: BusMessage): void {
    const { type, replySerial = 0, errorName, body } = message;
    if (type === messageTypes.signal) this.#onSignal(message);
    const waiting = this.#replies.get(replySerial);
    if (!waiting || (type !== messageTypes.reply && type !== messageTypes.error)) return;
    this.#replies.delete(replySerial);
    if (type === messageTypes.reply) waiting.resolve(body);
    else waiting.reject(new BusError(errorName ?? "unknown", "the session bus replied with an error"));
  }

  #fail(error: BusError): void {
    for (const { reject } of this.#replies.values()) reject(error);
    this.#replies.clear();
  }
}

async function connectToAny(addresses: string, signal: AbortSignal): Promise<Socket> {
  for (const path of addresses.split(";").flatMap((address) => socketPath(address) ?? [])) {
    const socket = await connectTo(path, signal).catch(() => undefined); // another address may still answer
    if (socket) return socket;
  }
  throw new BusError("connection", "no session bus answers at its address");
}

/**
 * Returns the path of the Unix socket in a bus address. An abstract path begins with `\0`. Undefined for an address of
 * another kind.
 */
function socketPath(address: string): string | undefined {
  const [transport, list = ""] = address.split(/:(.*)/s);
  if (transport !== "unix") return undefined;
  const pairs = Object.fromEntries(list.split(",").map((pair) => pair.split("=", 2)));
  const { path, abstract } = pairs as Readonly<Record<string, string | undefined>>;
  if (path !== undefined) return unescapeValue(path);
  return abstract === undefined ? undefined : `\0${unescapeValue(abstract)}`;
}

/** Decodes escapes in an address, such as `%20`. */
function unescapeValue(value: string): string {
  return value.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Connects to a socket. The connection closes when the signal aborts. */
function connectTo(path: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, signal });
    socket.on("error", reject); // once connected, the `close` event reports the error
    socket.once("connect", () => resolve(socket));
  });
}

/** Authenticates with the user id, which the socket proves. Resolves to bytes received after the server's answer. */
function authenticate(socket: Socket): Promise<Buffer> {
  const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString("hex");
  socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const refuse = (): void => reject(new BusError("connection", "the session bus denies access to this user"));
    const handle = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf("\r\n");
      if (end < 0 && received.length < maxAnswerBytes) return;
      socket.off("data", handle).off("close", refuse);
      if (end >= 0 && received.toString("latin1").startsWith("OK ")) {
        socket.write("BEGIN\r\n");
        resolve(received.subarray(end + 2));
      } else {
        socket.destroy();
        refuse();
      }
    };
    socket.on("data", handle).on("close", refuse);
  });
}
const maxAnswerBytes = 1024;
