import { type BusValue, getAlignment, maxDepth, sizes, splitTypes } from "./bus-types.ts";

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
