import { BusReader } from "./bus-reader.ts";
import { type BusValue, getAlignment, sizes, splitTypes, type Variant } from "./bus-types.ts";

/**
 * Encodes and decodes D-Bus messages. Reads both byte orders and every type except file descriptors; writes
 * little-endian.
 * https://dbus.freedesktop.org/doc/dbus-specification.html
 */

/** Numbers of the D-Bus message types. */
export const messageTypes = { call: 1, reply: 2, error: 3, signal: 4 } as const;

/** D-Bus message. The members from `path` to `signature` are header fields. */
export interface BusMessage {
  readonly type: number;
  readonly serial: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  readonly replySerial?: number;
  readonly destination?: string;
  readonly sender?: string;
  readonly signature?: string;
  /** False if the call must not start the service. */
  readonly startsService?: false;
  readonly body: readonly BusValue[];
}

/** Names of the header fields, each with its code and type, in the order of the specification. */
const fields = [
  ["path", 1, "o"],
  ["interface", 2, "s"],
  ["member", 3, "s"],
  ["errorName", 4, "s"],
  ["replySerial", 5, "u"],
  ["destination", 6, "s"],
  ["sender", 7, "s"],
  ["signature", 8, "g"],
] as const;

const fixedHeaderBytes = 16;
const noAutoStartFlag = 2;

/** Encodes a message. */
export function encodeMessage(message: BusMessage): Buffer {
  const body = new Writer();
  for (const [index, type] of splitTypes(message.signature ?? "").entries())
    body.write(type, message.body[index] ?? "");
  const header = new Writer();
  const present = fields.flatMap(([name, code, signature]): BusValue[] => {
    const value = message[name];
    return value === undefined ? [] : [[code, { signature, value }]];
  });
  const flags = message.startsService === false ? noAutoStartFlag : 0;
  for (const byte of ["l".charCodeAt(0), message.type, flags, 1]) header.write("y", byte);
  header.write("u", body.size);
  header.write("u", message.serial);
  header.write("a(yv)", present);
  header.align(8);
  return Buffer.concat([header.bytes(), body.bytes()]);
}

/**
 * Returns the size in bytes of the message at the beginning of the received bytes; undefined if too few bytes have
 * arrived to tell.
 * @throws {RangeError} if the bytes are not a D-Bus message
 */
export function messageSize(bytes: Buffer): number | undefined {
  return bytes.length < fixedHeaderBytes ? undefined : readHeaderSize(bytes) + uintAt(bytes, 4);
}

/**
 * Decodes the message at the beginning of the received bytes. Undefined if the message is not complete yet.
 * @throws {RangeError} if the bytes are not a D-Bus message
 */
export function decodeMessage(bytes: Buffer): { readonly message: BusMessage; readonly size: number } | undefined {
  const size = messageSize(bytes);
  if (size === undefined || bytes.length < size) return undefined;
  const [isLittle, headerSize] = [isLittleEndian(bytes), readHeaderSize(bytes)];
  const header = readFields(new BusReader(bytes.subarray(0, headerSize), isLittle, 12));
  const reader = new BusReader(bytes.subarray(headerSize, size), isLittle);
  const body = splitTypes(header.signature ?? "").map((type) => reader.read(type));
  const flags = { ...(((bytes[2] ?? 0) & noAutoStartFlag) !== 0 && { startsService: false as const }) };
  return { message: { ...header, type: bytes[1] ?? 0, serial: uintAt(bytes, 8), ...flags, body }, size };
}

/** Reads the known fields of a header. @throws {RangeError} for a field of the wrong type */
function readFields(reader: BusReader): Partial<BusMessage> {
  const found: Record<string, BusValue> = {};
  for (const [code, { signature, value }] of reader.read("a(yv)") as [number, Variant][]) {
    const [name, , type] = fields.find(([, known]) => known === code) ?? [];
    if (name === undefined) continue;
    if (signature !== type) throw new RangeError(`a D-Bus header field of the wrong type: ${name}`);
    found[name] = value;
  }
  return found;
}

function isLittleEndian(bytes: Buffer): boolean {
  if (bytes[0] === "l".charCodeAt(0)) return true;
  if (bytes[0] === "B".charCodeAt(0)) return false;
  throw new RangeError("not a D-Bus message");
}

function uintAt(bytes: Buffer, at: number): number {
  return isLittleEndian(bytes) ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}

function readHeaderSize(bytes: Buffer): number {
  return Math.ceil((fixedHeaderBytes + uintAt(bytes, 12)) / 8) * 8;
}

class Writer {
  readonly #parts: Buffer[] = [];
  size = 0;

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  align(to: number): void {
    this.#push(Buffer.alloc((to - (this.size % to)) % to));
  }

  write(type: string, value: BusValue): void {
    this.align(getAlignment(type));
    const items = value as readonly BusValue[];
    if (type[0] === "a") this.#array(type.slice(1), items);
    else if (type[0] === "(" || type[0] === "{") this.#struct(type.slice(1, -1), items);
    else if (type === "v") {
      const { signature, value: inner } = value as Variant;
      this.write("g", signature);
      this.write(signature, inner);
    } else if (type === "s" || type === "o") this.#text(String(value), 4);
    else if (type === "g") this.#text(String(value), 1);
    else this.#number(type, value as number | bigint | boolean);
  }

  #struct(signature: string, parts: readonly BusValue[]): void {
    for (const [index, type] of splitTypes(signature).entries()) this.write(type, parts[index] ?? "");
  }

  #array(type: string, items: readonly BusValue[]): void {
    const length = Buffer.alloc(4);
    this.#push(length);
    this.align(getAlignment(type));
    const start = this.size;
    for (const item of items) this.write(type, item);
    length.writeUInt32LE(this.size - start);
  }

  #text(text: string, lengthBytes: 1 | 4): void {
    const content = Buffer.from(text, "utf8");
    const length = Buffer.alloc(lengthBytes);
    length.writeUIntLE(content.length, 0, lengthBytes);
    this.#push(Buffer.concat([length, content, Buffer.alloc(1)]));
  }

  #number(type: string, value: number | bigint | boolean): void {
    const bytes = Buffer.alloc(sizes[type] ?? 0);
    if (type === "y") bytes.writeUInt8(Number(value));
    else if (type === "n") bytes.writeInt16LE(Number(value));
    else if (type === "q") bytes.writeUInt16LE(Number(value));
    else if (type === "i") bytes.writeInt32LE(Number(value));
    else if (type === "u" || type === "b") bytes.writeUInt32LE(Number(value));
    else if (type === "x") bytes.writeBigInt64LE(BigInt(value));
    else if (type === "t") bytes.writeBigUInt64LE(BigInt(value));
    else if (type === "d") bytes.writeDoubleLE(Number(value));
    else throw new RangeError(`not a D-Bus type: ${type}`);
    this.#push(bytes);
  }

  #push(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.size += bytes.length;
  }
}
