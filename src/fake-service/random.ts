/** Returns a number from 0 up to 1 that depends only on its arguments. */
export function chance(seed: number, ...key: readonly number[]): number {
  let hash = 0x9e3779b9 ^ Math.imul(seed, 0x27d4eb2d);
  for (const part of key) {
    hash = Math.imul(hash ^ part, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}

/** Numbers that determine a random value: the seed of the service's data, then numbers that identify the value. */
type Key = readonly [seed: number, ...own: number[]];

/** Returns a whole number from `min` to `max`, both included. */
export function between(min: number, max: number, ...key: Key): number {
  return min + Math.floor(chance(...key) * (max - min + 1));
}

/** Picks one of several values. */
export function pick<T>(from: readonly [T, ...T[]], ...key: Key): T {
  return from[between(0, from.length - 1, ...key)] ?? from[0];
}

/** Makes a version 4 UUID. */
export function uuid(...[seed, ...own]: Key): string {
  const hex = Array.from({ length: 4 }, (_, n) =>
    Math.floor(chance(seed, n, ...own) * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Splits `total` into whole parts in proportion to `weights`; the parts add up to `total`. */
export function shares(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  const parts = weights.map((weight) => Math.floor((total * weight) / sum));
  parts[0] = (parts[0] ?? 0) + total - parts.reduce((a, b) => a + b, 0);
  return parts;
}
