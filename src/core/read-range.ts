import { readSync } from "node:fs";

/**
 * Up to `length` bytes of an open file from `offset` on, fewer only where it ends before.
 * @param offset null reads on from where the last read ended: pipes and devices know no other way
 */
export function readRange(descriptor: number, offset: number | null, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let size = 0;
  for (let read = -1; read !== 0 && size < length; size += read) {
    read = readSync(descriptor, buffer, size, length - size, offset === null ? null : offset + size);
  }
  return buffer.subarray(0, size);
}
