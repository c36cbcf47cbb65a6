/** Signatures of D-Bus values: https://dbus.freedesktop.org/doc/dbus-specification.html#type-system */

/** Value in a D-Bus message. Structs become arrays, dictionaries become arrays of pairs, variants keep a signature. */
export type BusValue = string | number | bigint | boolean | Variant | readonly BusValue[];
export interface Variant {
  readonly signature: string;
  readonly value: BusValue;
}

/** Sizes in bytes of the types that have a fixed size. */
export const sizes: Readonly<Record<string, number>> = { y: 1, n: 2, q: 2, b: 4, i: 4, u: 4, x: 8, t: 8, d: 8 };

const textTypes = "sog";
const maxSignatureChars = 255;
/** Maximum nesting depth of types. The specification allows 64 levels, including variants. */
export const maxDepth = 64;

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
export function getAlignment(type: string): number {
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
