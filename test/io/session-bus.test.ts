import type { Socket } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BusMessage,
  type BusValue,
  decodeMessage,
  encodeMessage,
  messageTypes,
  splitTypes,
} from "../../src/io/bus-message.ts";
import { SessionBus } from "../../src/io/session-bus.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { listenAt } from "../world/listen-at.ts";
import { answerCalls, replyTo } from "../world/session-bus.ts";

describe("session bus", () => {
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
    const behave = answerCalls((message) =>
      message.member === "Hello" ? replyTo(message, "s", ":1.1") : fail(message),
    );
    const opened = await SessionBus.open(await listen(behave), inTime());
    await expect(opened.call(call)).rejects.toMatchObject({ name: errorName });
    opened.close();
  });

  const misbehaving: readonly (readonly [string, (socket: Socket) => void])[] = [
    ["is silent", () => {}],
    ["hangs up", (socket) => void socket.end()],
    ["refuses the user", (socket) => void socket.write("REJECTED EXTERNAL\r\n")],
    ["is another kind of server", (socket) => void socket.write("220 mail.example ESMTP\r\n")],
    ["never stops talking", (socket) => void socket.write("x".repeat(10_000))],
    ["answers with garbage", answerCalls(() => Buffer.from("garbage, and more than sixteen bytes of it"))],
    [
      "hangs up in an answer",
      (socket) => answerCalls(() => Buffer.from("l"))(socket.setTimeout(50, () => socket.end())),
    ],
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
});

interface Typed {
  readonly signature: string;
  readonly value: BusValue;
}

const text = fc.string({ unit: "binary" }).map((value) => value.toWellFormed().replaceAll("\0", ""));
const basic: fc.Arbitrary<Typed> = fc.oneof(
  text.map((value) => ({ signature: "s", value })),
  fc.integer({ min: 0, max: 255 }).map((value) => ({ signature: "y", value })),
  fc.integer({ min: -32_768, max: 32_767 }).map((value) => ({ signature: "n", value })),
  fc.integer().map((value) => ({ signature: "i", value })),
  fc.integer({ min: 0, max: 0xffff_ffff }).map((value) => ({ signature: "u", value })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ signature: "x", value })),
  fc.double({ noNaN: true }).map((value) => ({ signature: "d", value })),
  fc.boolean().map((value) => ({ signature: "b", value })),
);
const { typed } = fc.letrec<{ typed: Typed }>((tie) => ({
  typed: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    basic,
    tie("typed").map((value) => ({ signature: "v", value })),
    fc.array(text).map((value) => ({ signature: "as", value })),
    fc.array(fc.tuple(text, tie("typed"))).map((value) => ({ signature: "a{sv}", value })),
    fc.array(tie("typed"), { minLength: 1, maxLength: 3 }).map((parts) => ({
      signature: `(${parts.map(({ signature }) => signature).join("")})`,
      value: parts.map(({ value }) => value),
    })),
  ),
}));

test("a message reads as written, alone and before the next one", () => {
  fc.assert(
    fc.property(fc.array(typed, { maxLength: 4 }), fc.uint8Array({ maxLength: 20 }), (values, next) => {
      const message = {
        type: messageTypes.call,
        serial: 7,
        path: "/org/freedesktop/Notifications",
        member: "Notify",
        destination: "org.freedesktop.Notifications",
        ...(values.length > 0 && { signature: values.map(({ signature }) => signature).join("") }),
        body: values.map(({ value }) => value),
      };
      const bytes = encodeMessage(message);
      expect(decodeMessage(Buffer.concat([bytes, next]))).toEqual({ message, size: bytes.length });
      for (const cut of [0, 8, bytes.length - 1]) expect(decodeMessage(bytes.subarray(0, cut))).toBeUndefined();
    }),
  );
});

test("any bytes quickly read as a message, an incomplete one, or none", () => {
  const beginning = fc.constantFrom("l\u0002\u0000\u0001", "B\u0003\u0000\u0001", "").map((text) => Buffer.from(text));
  fc.assert(
    fc.property(beginning, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      try {
        decodeMessage(Buffer.concat([start, rest]));
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});

test("a signature splits into its complete types", () => {
  expect(splitTypes("susssasa{sv}i(i(sv))aas")).toEqual([
    "s",
    "u",
    "s",
    "s",
    "s",
    "as",
    "a{sv}",
    "i",
    "(i(sv))",
    "aas",
  ]);
});
