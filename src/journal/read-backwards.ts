import { openQuietly } from "../files/read-file.ts";

const chunkBytes = 1024 * 1024;
const newline = 0x0a;
const emptyBuffer: Buffer = Buffer.alloc(0);

/**
 * Reads a file from its end, in pieces of about 1 MiB. The last piece comes first; a piece has complete lines, in the
 * file's order. At most two pieces are in memory. Lines longer than 1 MiB are dropped or cut. Yields nothing if the
 * file is missing or not a regular file.
 */
export function* readBackwards(file: string): Generator<string> {
  const open = openQuietly(file);
  if (!open) return;
  try {
    let start = open.sizeBytes;
    let rest: Buffer = emptyBuffer; // end of a line that starts in the previous piece
    while (start > 0) {
      const length = Math.min(chunkBytes, start);
      start -= length;
      const chunk = open.read(start, length);
      const bytes = rest.length > 0 ? Buffer.concat([chunk, rest]) : chunk;
      const from = start === 0 ? 0 : chunk.indexOf(newline) + 1;
      if (start === 0 || from > 0) yield bytes.subarray(from).toString("utf8");
      if (from > 0) rest = bytes.subarray(0, from);
      else rest = bytes.length > chunkBytes ? emptyBuffer : bytes;
    }
  } finally {
    open.close();
  }
}

/** Tells if a file ends in the middle of a line, as after a write to a full disk. */
export function endsTorn(file: string): boolean {
  const open = openQuietly(file);
  if (!open) return false;
  try {
    return open.sizeBytes > 0 && open.read(open.sizeBytes - 1, 1)[0] !== newline;
  } finally {
    open.close();
  }
}
