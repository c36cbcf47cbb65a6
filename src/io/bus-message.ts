/**
 * Messages of D-Bus as bytes, as far as talking to desktop services needs them: every type but file descriptors is
 * read; little-endian is written, both byte orders are read. https://dbus.freedesktop.org/doc/dbus-specification.html
 */

/** A value of a message: structs and arrays are arrays, dictionaries arrays of pairs, variants have their signature. */
export type BusValue = string | number | bigint | boolean | Variant | readonly BusValue[];
export interface Variant {
  readonly signature: string;
  readonly value: BusValue;
}

export const messageTypes = { call: 1, reply: 2, error: 3, signal: 4 } as const;

export interface BusMessage {
  readonly type: number;
  readonly serial: number;
  /** Header fields by their codes in the specification. */
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  readonly replySerial?: number;
  readonly destination?: string;
  readonly sender?: string;
  readonly signature?: string;
  /** False on a call for which the bus must not start the service. */
  readonly startsService?: false;
  readonly body: readonly BusValue[];
}

/** Header fields: their codes and types, in the order of the specification. */
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

/** The largest message that is read, bytes; the specification allows 128 MiB. */
const maxMessageBytes = 4 * 1024 * 1024;
const fixedHeaderBytes = 16;
const noAutoStartFlag = 2;

/** The bytes of a message. */
export function encodeMessage(message: BusMessage): Buffer {
  const body = new Writer();
  for (const [index, type] of typesOf(message.signature ?? "").entries()) body.write(type, message.body[index] ?? "");
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

/** Reads the first message of what has come in; undefined until it is whole. @throws {RangeError} for what is none */
export function decodeMessage(bytes: Buffer): { readonly message: BusMessage; readonly size: number } | undefined {
  if (bytes.length < fixedHeaderBytes) return undefined;
  const isLittle = bytes[0] === "l".charCodeAt(0);
  if (!isLittle && bytes[0] !== "B".charCodeAt(0)) throw new RangeError("not a message of D-Bus");
  const uint = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const bodySize = uint(4);
  const headerSize = Math.ceil((fixedHeaderBytes + uint(12)) / 8) * 8;
  const size = headerSize + bodySize;
  if (size > maxMessageBytes) throw new RangeError("a message of D-Bus that is too large");
  if (bytes.length < size) return undefined;
  const header = new Reader(bytes.subarray(0, headerSize), isLittle, 12);
  const found: Record<string, BusValue> = {};
  for (const [code, variant] of header.read("a(yv)") as [number, Variant][]) {
    const name = fields.find(([, known]) => known === code)?.[0];
    if (name !== undefined) found[name] = variant.value;
  }
  const reader = new Reader(bytes.subarray(headerSize, size), isLittle);
  const body = typesOf(String(found["signature"] ?? "")).map((type) => reader.read(type));
  const flags = { ...(((bytes[2] ?? 0) & noAutoStartFlag) !== 0 && { startsService: false }) };
  return { message: { ...found, type: bytes[1] ?? 0, serial: uint(8), ...flags, body } as BusMessage, size };
}

/** The complete types of a signature: `sa{sv}(ii)` → `s`, `a{sv}`, `(ii)`. */
export function typesOf(signature: string): string[] {
  const types: string[] = [];
  for (let at = 0; at < signature.length; ) {
    const end = endOfType(signature, at);
    types.push(signature.slice(at, end));
    at = end;
  }
  return types;
}

function endOfType(signature: string, start: number): number {
  let at = start;
  while (signature[at] === "a") at += 1;
  const open = signature[at];
  if (open !== "(" && open !== "{") return at + 1;
  for (let depth = 0; at < signature.length; at += 1) {
    if ("({".includes(signature[at] ?? "")) depth += 1;
    if (")}".includes(signature[at] ?? "")) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new RangeError(`a signature without an end: ${signature}`);
}

const sizes: Readonly<Record<string, number>> = { y: 1, n: 2, q: 2, b: 4, i: 4, u: 4, x: 8, t: 8, d: 8 };

function alignmentOf(type: string): number {
  const first = type[0] ?? "";
  if (first === "(" || first === "{") return 8;
  if (first === "g" || first === "v") return 1;
  return sizes[first] ?? 4;
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
    this.align(alignmentOf(type));
    const items = value as readonly BusValue[];
    if (type[0] === "a") this.#array(type.slice(1), items);
    else if (type[0] === "(" || type[0] === "{") this.#struct(type.slice(1, -1), items);
    else if (type === "v") {
      const { signature, value: held } = value as Variant;
      this.write("g", signature);
      this.write(signature, held);
    } else if (type === "s" || type === "o") this.#text(String(value), 4);
    else if (type === "g") this.#text(String(value), 1);
    else this.#number(type, value as number | bigint | boolean);
  }

  #struct(signature: string, parts: readonly BusValue[]): void {
    for (const [index, type] of typesOf(signature).entries()) this.write(type, parts[index] ?? "");
  }

  #array(type: string, items: readonly BusValue[]): void {
    const length = Buffer.alloc(4);
    this.#push(length);
    this.align(alignmentOf(type));
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
    else throw new RangeError(`no type of D-Bus: ${type}`);
    this.#push(bytes);
  }

  #push(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.size += bytes.length;
  }
}

class Reader {
  readonly #view: DataView;
  readonly #bytes: Buffer;
  readonly #isLittle: boolean;
  #at: number;

  constructor(bytes: Buffer, isLittle: boolean, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#isLittle = isLittle;
    this.#at = at;
  }

  read(type: string): BusValue {
    this.#align(alignmentOf(type));
    if (type[0] === "a") return this.#array(type.slice(1));
    if (type[0] === "(" || type[0] === "{") return typesOf(type.slice(1, -1)).map((part) => this.read(part));
    if (type === "v") {
      const signature = this.#text(1);
      return { signature, value: this.read(signature) };
    }
    if (type === "s" || type === "o") return this.#text(4);
    if (type === "g") return this.#text(1);
    return this.#number(type);
  }

  #array(type: string): BusValue[] {
    const length = this.#number("u") as number;
    this.#align(alignmentOf(type));
    const end = this.#at + length;
    const items: BusValue[] = [];
    while (this.#at < end) items.push(this.read(type));
    return items;
  }

  #text(lengthBytes: 1 | 4): string {
    const length = this.#number(lengthBytes === 1 ? "y" : "u") as number;
    if (this.#at + length >= this.#bytes.length + 1) throw new RangeError("a text of D-Bus that does not end");
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
    throw new RangeError(`no type of D-Bus: ${type}`);
  }

  #align(to: number): void {
    this.#at += (to - (this.#at % to)) % to;
  }
}
