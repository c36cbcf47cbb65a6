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
  body.writeAll(message.signature ?? "", message.body);
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
    else if (type[0] === "(" || type[0] === "{") this.writeAll(type.slice(1, -1), items);
    else if (type === "v") {
      const { signature, value: inner } = value as Variant;
      this.write("g", signature);
      this.write(signature, inner);
    } else if (type === "s" || type === "o") this.#text(String(value), 4);
    else if (type === "g") this.#text(String(value), 1);
    else this.#number(type, value as number | bigint | boolean);
  }

  /** Writes the values of a signature with several types, one after the other. */
  writeAll(signature: string, values: readonly BusValue[]): void {
    for (const [index, type] of splitTypes(signature).entries()) this.write(type, values[index] ?? "");
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

/** Maximum number of values in a message. An array, struct or variant counts as a value too. */
export const maxValues = 20_000;

/** Reads the values in a D-Bus message, at most `maxValues`. The methods throw a RangeError for invalid bytes. */
export class BusReader {
  readonly #view: DataView;
  readonly #bytes: Buffer;
  readonly #isLittle: boolean;
  #at: number;
  #values = 0;
  #depth = 0;

  constructor(bytes: Buffer, isLittle: boolean, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#isLittle = isLittle;
    this.#at = at;
  }

  /** Reads the next value, which has the given type. */
  read(type: string): BusValue {
    this.#values += 1;
    if (this.#values > maxValues) throw new RangeError("a D-Bus message with too many values");
    this.#align(getAlignment(type));
    if (type === "s" || type === "o") return this.#text(4);
    if (type === "g") return this.#text(1);
    return "a({v".includes(type[0] ?? "") ? this.#container(type) : this.#number(type);
  }

  #container(type: string): BusValue {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new RangeError("a D-Bus message that is nested too deeply");
    const value = this.#contentOf(type);
    this.#depth -= 1;
    return value;
  }

  #contentOf(type: string): BusValue {
    if (type[0] === "a") return this.#array(type.slice(1));
    if (type !== "v") return splitTypes(type.slice(1, -1)).map((part) => this.read(part));
    const signature = this.#text(1);
    if (splitTypes(signature).length !== 1) throw new RangeError("a D-Bus variant that is not one value");
    return { signature, value: this.read(signature) };
  }

  #array(type: string): BusValue[] {
    const length = this.#number("u") as number;
    this.#align(getAlignment(type));
    const end = this.#at + length;
    const items: BusValue[] = [];
    if (end > this.#bytes.length) throw new RangeError("a D-Bus array that ends beyond the bytes");
    while (this.#at < end) {
      const start = this.#at;
      items.push(this.read(type));
      if (this.#at === start) throw new RangeError("a D-Bus array element of no bytes");
    }
    if (this.#at > end) throw new RangeError("a D-Bus array element that ends beyond its array");
    return items;
  }

  #text(lengthBytes: 1 | 4): string {
    const length = this.#number(lengthBytes === 1 ? "y" : "u") as number;
    if (this.#at + length >= this.#bytes.length) throw new RangeError("a D-Bus text without an end");
    const text = this.#bytes.toString("utf8", this.#at, this.#at + length);
    this.#at += length + 1;
    return text;
  }

  #number(type: string): BusValue {
    const [at, little, view] = [this.#at, this.#isLittle, this.#view];
    this.#at += sizes[type] ?? 0;
    if (type === "y") return view.getUint8(at);
    if (type === "n") return view.getInt16(at, little);
    if (type === "q") return view.getUint16(at, little);
    if (type === "i") return view.getInt32(at, little);
    if (type === "u") return view.getUint32(at, little);
    if (type === "b") return view.getUint32(at, little) !== 0;
    if (type === "x") return view.getBigInt64(at, little);
    if (type === "t") return view.getBigUint64(at, little);
    if (type === "d") return view.getFloat64(at, little);
    throw new RangeError(`not a D-Bus type: ${type}`);
  }

  #align(to: number): void {
    this.#at += (to - (this.#at % to)) % to;
  }
}

/** Signatures of D-Bus values: https://dbus.freedesktop.org/doc/dbus-specification.html#type-system */

/** Value in a D-Bus message. Structs become arrays, dictionaries become arrays of pairs, variants keep a signature. */
export type BusValue = string | number | bigint | boolean | Variant | readonly BusValue[];
interface Variant {
  readonly signature: string;
  readonly value: BusValue;
}

/** Sizes in bytes of the types that have a fixed size. */
const sizes: Readonly<Record<string, number>> = { y: 1, n: 2, q: 2, b: 4, i: 4, u: 4, x: 8, t: 8, d: 8 };

const textTypes = "sog";
const maxSignatureChars = 255;
/** Maximum nesting depth of types. The specification allows 64 levels, including variants. */
const maxDepth = 64;

/**
 * Splits a signature into its complete types: `sa{sv}(ii)` → `s`, `a{sv}`, `(ii)`.
 * @throws {RangeError} for an unknown letter, an empty struct, a dictionary entry outside an array, or too deep nesting
 */
export function splitTypes(signature: string): string[] {
  if (signature.length > maxSignatureChars) throw new RangeError("a signature that is too long");
  const types: string[] = [];
  for (let at = 0; at < signature.length; ) {
    const end = findTypeEnd(signature, at, 0);
    types.push(signature.slice(at, end));
    at = end;
  }
  return types;
}

/** Returns the alignment of a type in bytes. */
function getAlignment(type: string): number {
  const first = type[0] ?? "";
  if (first === "(" || first === "{") return 8;
  if (first === "g" || first === "v") return 1;
  return sizes[first] ?? 4;
}

function findTypeEnd(signature: string, start: number, depth: number): number {
  const letter = signature[start] ?? "";
  if (letter !== "" && (letter in sizes || textTypes.includes(letter) || letter === "v")) return start + 1;
  if (depth >= maxDepth) throw new RangeError("a signature that is nested too deeply");
  if (letter === "a" && signature[start + 1] === "{") return findEntryEnd(signature, start + 2, depth + 2);
  if (letter === "a") return findTypeEnd(signature, start + 1, depth + 1);
  if (letter !== "(" || signature[start + 1] === ")") throw new RangeError(`not a signature: ${signature}`);
  let at = start + 1;
  while (signature[at] !== ")") at = findTypeEnd(signature, at, depth + 1);
  return at + 1;
}

/** Finds the end of a dictionary entry: a key of a basic type at `start`, and a value of one complete type. */
function findEntryEnd(signature: string, start: number, depth: number): number {
  const key = signature[start] ?? "";
  if (key === "" || !(key in sizes || textTypes.includes(key))) throw new RangeError(`not a signature: ${signature}`);
  const end = findTypeEnd(signature, start + 1, depth);
  if (signature[end] !== "}") throw new RangeError(`not a signature: ${signature}`);
  return end + 1;
}
