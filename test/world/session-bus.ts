import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type BusMessage,
  type BusValue,
  decodeMessage,
  encodeMessage,
  messageTypes,
} from "../../src/io/bus-message.ts";

/** Authenticates the user and answers each call with `reply`'s result, one byte at a time if requested. */
export function answerCalls(reply: (call: BusMessage) => Buffer): (socket: Socket) => void {
  return (socket) => {
    let received: Buffer = Buffer.alloc(0);
    let isIn = false;
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!isIn && received.toString("latin1").startsWith("\0AUTH EXTERNAL ") && received.includes("\r\n")) {
        isIn = true;
        received = received.subarray(received.indexOf("\r\n") + 2);
        socket.write("OK 0123456789abcdef\r\n");
      }
      const begin = received.indexOf("BEGIN\r\n");
      if (begin >= 0) received = received.subarray(begin + 7);
      for (let next = isIn ? decodeMessage(received) : undefined; next; next = decodeMessage(received)) {
        received = received.subarray(next.size);
        for (const byte of reply(next.message)) socket.write(Buffer.from([byte]));
      }
    });
  };
}

/** Makes a reply to a call, with one value. */
export function replyTo({ serial: replySerial }: BusMessage, signature: string, value: BusValue): Buffer {
  return encodeMessage({ type: messageTypes.reply, serial: 1, replySerial, signature, body: [value] });
}

/** A desktop that records its notifications. */
export type RecordingDesktop = Awaited<ReturnType<typeof startRecordingDesktop>>;

/**
 * Starts a session bus with a notification service on it, at a socket in `folder`, until the test ends.
 * @param knowsIds true to report unknown ids, as some services do
 */
export async function startRecordingDesktop(folder: string, knowsIds = false) {
  /** Title and body of each notification, in a line. */
  const shown: string[] = [];
  /** The arguments of each call of `Notify`. */
  const calls: (readonly BusValue[])[] = [];
  /** Ids of the closed notifications. */
  const closed: number[] = [];
  const path = join(folder, "bus");
  const desktop = {
    /** Address for `DBUS_SESSION_BUS_ADDRESS`. */
    address: `unix:path=${path.replaceAll("-", "%2d")}`,
    ...{ shown, calls, closed },
    /** Name of the service on the bus. A test changes it to restart the service. */
    name: ":1.7" as string | undefined,
    /** Id of the bus. A test changes it to restart the session. */
    busId: "0123abcd",
    close: () => void server.close(),
  };
  const answers: Readonly<Record<string, (call: BusMessage) => Buffer>> = {
    GetId: (call) => replyTo(call, "s", desktop.busId),
    GetNameOwner: (call) => (desktop.name === undefined ? failure(call, noOwner) : replyTo(call, "s", desktop.name)),
    StartServiceByName(call) {
      desktop.name = ":1.8";
      return replyTo(call, "u", 1);
    },
    Notify(call) {
      const [, , , title, body] = call.body;
      calls.push(call.body);
      shown.push(`${title} ${body}`);
      return replyTo(call, "u", shown.length);
    },
    CloseNotification(call) {
      closed.push(Number(call.body[0]));
      return knowsIds ? failure(call, "org.freedesktop.Notifications.InvalidId") : replyTo(call, "s", "");
    },
  };
  const answer = answerCalls((call) => answers[call.member ?? ""]?.(call) ?? replyTo(call, "s", ":1.1"));
  const server = createServer((socket) => answer(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(desktop.close);
  return desktop;
}

const noOwner = "org.freedesktop.DBus.Error.NameHasNoOwner";

/** Makes the error reply to a call, by the error's name. */
export function failure({ serial: replySerial }: BusMessage, errorName: string): Buffer {
  return encodeMessage({ type: messageTypes.error, serial: 1, replySerial, errorName, body: [] });
}
