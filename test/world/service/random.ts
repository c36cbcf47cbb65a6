/** A number from 0 up to 1 that depends only on its arguments, so that the data is always the same. */
export function chance(...key: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const part of key) {
    hash = Math.imul(hash ^ part, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}

/** A whole number from `min` to `max`, both included. */
export function between(min: number, max: number, ...key: readonly number[]): number {
  return min + Math.floor(chance(...key) * (max - min + 1));
}

export function pick<T>(from: readonly [T, ...T[]], ...key: readonly number[]): T {
  return from[between(0, from.length - 1, ...key)] ?? from[0];
}

/** A version 4 UUID from a number. */
export function uuid(...key: readonly number[]): string {
  const hex = Array.from({ length: 4 }, (_, n) =>
    Math.floor(chance(n, ...key) * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** `total` split into whole parts in proportion to `weights`; they add up to `total`. */
export function shares(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  const parts = weights.map((weight) => Math.floor((total * weight) / sum));
  parts[0] = (parts[0] ?? 0) + total - parts.reduce((a, b) => a + b, 0);
  return parts;
}
