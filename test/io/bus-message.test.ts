import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BusReader,
  type BusValue,
  decodeMessage,
  encodeMessage,
  maxValues,
  messageTypes,
  splitTypes,
} from "../../src/io/bus-message.ts";
import { collectFailures } from "../world/collect-failures.ts";

/** Writes a message with these bytes as its body, whatever the signature says. */
function writeMessage(signature: string, body: Uint8Array): Buffer {
  const head = encodeMessage({ type: messageTypes.reply, serial: 1, replySerial: 1, body: [] });
  const signed = encodeMessage({ type: messageTypes.reply, serial: 1, replySerial: 1, signature: "s", body: [""] });
  const bytes = Buffer.concat([signed.subarray(0, signed.length - 5), body]);
  bytes.writeUInt32LE(body.length, 4);
  if (signature === "") return head;
  const at = bytes.indexOf("\u0001s\u0000", bytes.indexOf("\b\u0001g\u0000", 0, "latin1") + 4, "latin1");
  const padded = Buffer.alloc(Math.ceil((at + 2 + signature.length) / 8) * 8);
  bytes.copy(padded, 0, 0, at);
  padded.writeUInt8(signature.length, at);
  padded.write(signature, at + 1, "latin1");
  padded.writeUInt32LE(at + 2 + signature.length - 16, 12);
  return Buffer.concat([padded, body]);
}

function writeArray(length: number, ...rest: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + rest.length);
  bytes.writeUInt32LE(length);
  bytes.set(rest, 4);
  return bytes;
}

test("an impossible signature is refused, as is a value that does not match its bytes", async () => {
  const eight = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const rows: readonly (readonly [string, string, Buffer])[] = [
    ["an array of empty structs", "a()", writeArray(8, ...eight)],
    ["an array of empty entries", "a{}", writeArray(8, ...eight)],
    ["an empty struct", "()", Buffer.alloc(8)],
    ["an empty struct in a struct", "(u())", Buffer.alloc(16)],
    ["an unknown letter", "z", Buffer.alloc(8)],
    ["an array of unknown letters", "az", writeArray(8, ...eight)],
    ["an array without element type", "a", writeArray(8, ...eight)],
    ["an entry outside an array", "{sv}", Buffer.alloc(16)],
    ["an entry of three", "a{sss}", writeArray(8, ...eight)],
    ["an entry whose key is a container", "a{vs}", writeArray(8, ...eight)],
    ["a struct without an end", "(u", Buffer.alloc(8)],
    ["an end without a struct", "u)", Buffer.alloc(8)],
    ["200 nested arrays", "a".repeat(200), writeArray(8, ...eight)],
    ["an array beyond the bytes", "au", writeArray(64, 1, 0, 0, 0)],
    ["an array of 4 GiB", "ay", writeArray(0xffff_ffff, 1)],
    ["an element beyond its array", "au", writeArray(2, 1, 0, 0, 0)],
    ["a text beyond the bytes", "s", writeArray(4, 65, 65, 65, 65)],
    ["a variant without a value", "v", Buffer.from([0, 0])],
    ["a variant of two values", "v", Buffer.from([2, 0x79, 0x79, 0, 1, 1])],
    ["nested variants", "v", Buffer.from(Array(300).fill([1, 0x76, 0]).flat())],
    ["more values than a message may have", "ay", writeArray(maxValues, ...Array(maxValues).fill(1))],
  ];
  const check = ([, signature, body]: (typeof rows)[number]): void => {
    expect(() => decodeMessage(writeMessage(signature, body))).toThrow(RangeError);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
  const most = writeMessage("ay", writeArray(maxValues - 1, ...Array(maxValues - 1).fill(1)));
  expect(decodeMessage(most)?.message.body[0]).toHaveLength(maxValues - 1);
});

test("a header field of the wrong type is refused", () => {
  const bytes = encodeMessage({ type: messageTypes.reply, serial: 1, replySerial: 7, body: [] });
  const at = bytes.indexOf("\u0005\u0001u\u0000", 0, "latin1");
  bytes.write("i", at + 2, "latin1");
  expect(() => decodeMessage(bytes)).toThrow(RangeError);
});

/** Fails unless reading succeeds or refuses the bytes. */
function expectReadOrRefused(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
  }
}

test("any signature with any bytes is a value or refused, within the limit of values", () => {
  const signature = fc.string({ unit: fc.constantFrom(..."aa((){}}ysvgub"), maxLength: 30 });
  const check = (text: string, bytes: Uint8Array, isLittle: boolean) => {
    const reader = new BusReader(Buffer.from(bytes), isLittle);
    expectReadOrRefused(() => {
      for (const type of splitTypes(text)) reader.read(type);
      decodeMessage(writeMessage(text, bytes));
    });
  };
  fc.assert(fc.property(signature, fc.uint8Array({ maxLength: 400 }), fc.boolean(), check), { numRuns: 3_000 });
});

test("any bytes quickly read as a message, an incomplete one, or none", () => {
  const beginning = fc.constantFrom("l\u0002\u0000\u0001", "B\u0003\u0000\u0001", "").map((text) => Buffer.from(text));
  const check = (start: Buffer, rest: Uint8Array) =>
    expectReadOrRefused(() => decodeMessage(Buffer.concat([start, rest])));
  fc.assert(fc.property(beginning, fc.uint8Array({ maxLength: 200 }), check));
});

interface Typed {
  readonly signature: string;
  readonly value: BusValue;
}

const typedAs = (signature: string, values: fc.Arbitrary<BusValue>): fc.Arbitrary<Typed> =>
  values.map((value) => ({ signature, value }));
const join = (parts: readonly Typed[]) => parts.map(({ signature }) => signature).join("");
const text = fc.string({ unit: "binary" }).map((value) => value.toWellFormed().replaceAll("\0", ""));
const { typed } = fc.letrec<{ typed: Typed }>((tie) => ({
  typed: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    typedAs("s", text),
    typedAs("y", fc.integer({ min: 0, max: 255 })),
    typedAs("n", fc.integer({ min: -32_768, max: 32_767 })),
    typedAs("i", fc.integer()),
    typedAs("u", fc.integer({ min: 0, max: 0xffff_ffff })),
    typedAs("x", fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    typedAs("d", fc.double({ noNaN: true })),
    typedAs("b", fc.boolean()),
    typedAs("v", tie("typed")),
    typedAs("as", fc.array(text)),
    typedAs("a{sv}", fc.array(fc.tuple(text, tie("typed")))),
    fc
      .array(tie("typed"), { minLength: 1, maxLength: 3 })
      .map((parts) => ({ signature: `(${join(parts)})`, value: parts.map(({ value }) => value) })),
  ),
}));

test("a message reads as written, alone and before the next one", () => {
  const name = "org.freedesktop.Notifications";
  const head = { type: messageTypes.call, serial: 7, path: "/a", member: "Notify", destination: name };
  const check = (values: readonly Typed[], next: Uint8Array) => {
    const signed = values.length > 0 && { signature: join(values) };
    const message = { ...head, ...signed, body: values.map(({ value }) => value) };
    const bytes = encodeMessage(message);
    expect(decodeMessage(Buffer.concat([bytes, next]))).toEqual({ message, size: bytes.length });
    for (const cut of [0, 8, bytes.length - 1]) expect(decodeMessage(bytes.subarray(0, cut))).toBeUndefined();
  };
  fc.assert(fc.property(fc.array(typed, { maxLength: 4 }), fc.uint8Array({ maxLength: 20 }), check));
});

test("a signature splits into its complete types", () => {
  const types = ["s", "u", "s", "s", "s", "as", "a{sv}", "i", "(i(sv))", "aas"];
  expect(splitTypes(types.join(""))).toEqual(types);
});
