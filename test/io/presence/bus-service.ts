import { once } from "node:events";
import { connect } from "node:net";
import {
  type BusMessage,
  type BusValue,
  decodeMessage,
  encodeMessage,
  messageTypes,
} from "../../../src/io/bus-message.ts";

const bus = { destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };

/** A service on a real bus that answers with constants. */
export interface BusService {
  /** Received calls, as `path interface.member`; for a property, `path interface.property`. */
  readonly calls: readonly string[];
  stop(): void;
}

/**
 * Answers of a service by call; for a property, the value inside the variant. A call without an answer gets an error.
 */
export type BusAnswers = Readonly<Record<string, { readonly signature: string; readonly value: BusValue }>>;

/**
 * Puts a service on the bus at this address, `unix:path=…`, under a name. Resolves once the bus has assigned the name.
 */
export async function startBusService(address: string, name: string, answers: BusAnswers): Promise<BusService> {
  const socket = connect({ path: /path=([^,]+)/.exec(address)?.[1] ?? "" });
  const calls: string[] = [];
  let serial = 0;
  const send = (message: Omit<BusMessage, "serial">) => {
    serial += 1;
    socket.write(encodeMessage({ ...message, serial }));
  };
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.())).toString("hex")}\r\n`);
  await once(socket, "data");
  socket.write("BEGIN\r\n");
  let named = (): void => {};
  const hasName = new Promise<void>((resolve) => {
    named = resolve;
  });
  let received: Buffer = Buffer.alloc(0);
  socket
    .on("error", () => {})
    .on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let next = decodeMessage(received); next; next = decodeMessage(received)) {
        received = received.subarray(next.size);
        if (next.message.replySerial === 2) named();
        if (next.message.type === messageTypes.call) send(answerTo(next.message, answers, calls));
      }
    });
  send({ ...bus, type: messageTypes.call, member: "Hello", body: [] });
  send({ ...bus, type: messageTypes.call, member: "RequestName", signature: "su", body: [name, 4] });
  await hasName;
  return { calls, stop: () => socket.destroy() };
}

function answerTo(call: BusMessage, answers: BusAnswers, calls: string[]): Omit<BusMessage, "serial"> {
  const isProperty = call.interface === "org.freedesktop.DBus.Properties";
  const key = `${call.path} ${isProperty ? call.body.join(".") : `${call.interface}.${call.member}`}`;
  calls.push(key);
  const answer = answers[key];
  const to = { replySerial: call.serial, ...(call.sender !== undefined && { destination: call.sender }) };
  if (!answer)
    return { ...to, type: messageTypes.error, errorName: "org.freedesktop.DBus.Error.UnknownMethod", body: [] };
  const [signature, value] = isProperty ? ["v", answer] : [answer.signature, answer.value];
  return { ...to, type: messageTypes.reply, signature, body: [value] };
}
