import type { Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type BusMessage, encodeMessage, messageTypes } from "../../src/io/bus-message.ts";
import { SessionBus } from "../../src/io/session-bus.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { listenAt } from "../world/listen-at.ts";
import { answerCalls, replyTo } from "../world/session-bus.ts";

/** Listens like a bus, and handles each connection with the test's function. */
async function listen(behave: (socket: Socket) => void): Promise<string> {
  const path = join(freshFolder(), "bus");
  await listenAt(path, behave);
  return `unix:path=${path.replaceAll("-", "%2d")},guid=0123`;
}

const call = { destination: "org.example", path: "/org/example", interface: "org.example", member: "Say" };
const inTime = () => AbortSignal.timeout(2_000);

test("a call is answered, though the answer comes byte by byte and after a signal", async () => {
  const signal = encodeMessage({ type: messageTypes.signal, serial: 9, member: "NameAcquired", body: [] });
  const behave = answerCalls((message) => Buffer.concat([signal, replyTo(message, "s", message.member ?? "")]));
  const opened = await SessionBus.open(await listen(behave), inTime());
  expect(await opened.call(call)).toEqual(["Say"]);
  opened.close();
});

test("a bus error keeps its name", async () => {
  const errorName = "org.freedesktop.DBus.Error.ServiceUnknown";
  const fail = ({ serial: replySerial }: BusMessage) =>
    encodeMessage({ type: messageTypes.error, serial: 1, replySerial, errorName, body: [] });
  const answer = (message: BusMessage) => (message.member === "Hello" ? replyTo(message, "s", ":1.1") : fail(message));
  const opened = await SessionBus.open(await listen(answerCalls(answer)), inTime());
  await expect(opened.call(call)).rejects.toMatchObject({ name: errorName });
  opened.close();
});

const beginAnswer = answerCalls(() => Buffer.from("l"));
const misbehaving: readonly (readonly [string, (socket: Socket) => void])[] = [
  ["is silent", () => {}],
  ["hangs up", (socket) => void socket.end()],
  ["refuses the user", (socket) => void socket.write("REJECTED EXTERNAL\r\n")],
  ["is another kind of server", (socket) => void socket.write("220 mail.example ESMTP\r\n")],
  ["never stops talking", (socket) => void socket.write("x".repeat(10_000))],
  ["answers with garbage", answerCalls(() => Buffer.from("garbage, and more than sixteen bytes of it"))],
  ["hangs up while it answers", (socket) => beginAnswer(socket.setTimeout(50, () => socket.end()))],
];

test("a misbehaving bus fails the connection in time", async () => {
  const check = async ([, behave]: (typeof misbehaving)[number]) => {
    const opening = SessionBus.open(await listen(behave), AbortSignal.timeout(300));
    await expect(opening).rejects.toMatchObject({ name: "connection" });
  };
  expect(await collectFailures(misbehaving, check)).toEqual([]);
});

test("the first address that answers is used", async () => {
  const address = await listen(answerCalls((message) => replyTo(message, "s", "here")));
  const opened = await SessionBus.open(`tcp:host=127.0.0.1,port=1;unix:path=/nowhere;${address}`, inTime());
  opened.close();
  await expect(SessionBus.open("autolaunch:", inTime())).rejects.toMatchObject({ name: "connection" });
});
