import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BusMessage, encodeMessage, messageTypes } from "../../src/io/bus-message.ts";
import { SessionBus } from "../../src/io/session-bus.ts";
import { answerCalls, replyTo } from "../world/session-bus.ts";

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "bus-"));
});
afterEach(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Listens like a bus, and does with each connection what the test wants. */
async function listen(behave: (socket: Socket) => void): Promise<string> {
  const path = join(folder, "bus");
  server = createServer((socket) => behave(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server?.listen(path, resolve));
  return `unix:path=${path.replaceAll("-", "%2d")},guid=0123`;
}

const call = { destination: "org.example", path: "/org/example", interface: "org.example", member: "Say" };
const inTime = () => AbortSignal.timeout(2_000);

test("a call is answered, though the answer comes byte by byte and behind a signal", async () => {
  const signal = encodeMessage({ type: messageTypes.signal, serial: 9, member: "NameAcquired", body: [] });
  const opened = await SessionBus.open(
    await listen(answerCalls((one) => Buffer.concat([signal, replyTo(one, "s", one.member ?? "")]))),
    inTime(),
  );
  expect(await opened.call(call)).toEqual(["Say"]);
  opened.close();
});

test("an error of the bus is one here, by its name", async () => {
  const errorName = "org.freedesktop.DBus.Error.ServiceUnknown";
  const fail = ({ serial: replySerial }: BusMessage) =>
    encodeMessage({ type: messageTypes.error, serial: 1, replySerial, errorName, body: [] });
  const behave = answerCalls((one) => (one.member === "Hello" ? replyTo(one, "s", ":1.1") : fail(one)));
  const opened = await SessionBus.open(await listen(behave), inTime());
  await expect(opened.call(call)).rejects.toMatchObject({ name: errorName });
  opened.close();
});

const misbehaving: readonly (readonly [string, (socket: Socket) => void])[] = [
  ["says nothing", () => {}],
  ["hangs up", (socket) => void socket.end()],
  ["refuses the user", (socket) => void socket.write("REJECTED EXTERNAL\r\n")],
  ["is another kind of server", (socket) => void socket.write("220 mail.example ESMTP\r\n")],
  ["talks without end", (socket) => void socket.write("x".repeat(10_000))],
  ["answers with garbage", answerCalls(() => Buffer.from("garbage, and more than sixteen bytes of it"))],
  ["hangs up in an answer", (socket) => answerCalls(() => Buffer.from("l"))(socket.setTimeout(50, () => socket.end()))],
];

test.each(misbehaving)("a bus that %s fails the connection, in time", async (_, behave) => {
  const address = await listen(behave);
  await expect(SessionBus.open(address, AbortSignal.timeout(300))).rejects.toMatchObject({ name: "connection" });
});

test("the first address that answers is taken, others are passed over", async () => {
  const address = await listen(answerCalls((one) => replyTo(one, "s", "here")));
  const opened = await SessionBus.open(`tcp:host=127.0.0.1,port=1;unix:path=/nowhere;${address}`, inTime());
  opened.close();
  await expect(SessionBus.open("autolaunch:", inTime())).rejects.toMatchObject({ name: "connection" });
});
