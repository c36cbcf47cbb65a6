import { openQuietly } from "../files/read-file.ts";

/** Number of bytes per read. V8 keeps strings above 128 KiB in a separate space, in which they pile up. */
const chunkBytes = 64 * 1024;
/** Maximum length of a line that is found, in bytes. */
const maxLineBytes = 512 * 1024;
const newline = 0x0a;

/**
 * Reads a file's complete lines in pieces of about 64 KiB. The last piece comes first, with its lines in order. A piece
 * has one character per byte, which is much faster than decoding; `parseStored` decodes it. Lines longer than 512 KiB
 * are cut or dropped. Yields nothing if the file is missing or not a regular file.
 */
export function* readBackwards(file: string): Generator<string> {
  const open = openQuietly(file);
  if (!open) return;
  try {
    let length = chunkBytes;
    let end = open.sizeBytes;
    while (end > 0) {
      const from = Math.max(0, end - length);
      const bytes = open.read(from, end - from);
      const start = from === 0 ? 0 : bytes.indexOf(newline) + 1;
      const hasLine = start > 0 ? start < bytes.length : from === 0;
      if (hasLine) yield bytes.toString("latin1", start);
      else if (length < maxLineBytes) {
        length *= 2;
        continue;
      }
      end = hasLine ? from + start : from;
      if (hasLine) length = chunkBytes;
    }
  } finally {
    open.close();
  }
}

/** True if a file ends in the middle of a line, as after a write to a full disk. */
export function endsTorn(file: string): boolean {
  const open = openQuietly(file);
  if (!open) return false;
  try {
    return open.sizeBytes > 0 && open.read(open.sizeBytes - 1, 1)[0] !== newline;
  } finally {
    open.close();
  }
}
