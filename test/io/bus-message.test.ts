import fc from "fast-check";
import { expect, test } from "vitest";
import { type BusValue, decodeMessage, encodeMessage, messageTypes, typesOf } from "../../src/io/bus-message.ts";

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

test("a message reads as it was written, alone and in front of the next one", () => {
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

test("any bytes are a message, not yet one, or none, and are told in no time", () => {
  const beginning = fc.constantFrom(
    Buffer.from("l\u0002\u0000\u0001"),
    Buffer.from("B\u0003\u0000\u0001"),
    Buffer.alloc(0),
  );
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

test("a signature falls into its complete types", () => {
  expect(typesOf("susssasa{sv}i(i(sv))aas")).toEqual(["s", "u", "s", "s", "s", "as", "a{sv}", "i", "(i(sv))", "aas"]);
});
