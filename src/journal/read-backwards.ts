import { openQuietly } from "../files/read-file.ts";

const pieceBytes = 1024 * 1024;
const newline = 0x0a;
const nothing: Buffer = Buffer.alloc(0);

/**
 * The lines of a file from its end to its beginning, in texts of about 1 MiB: whole lines, the later text first, the
 * lines of one text in their order. However large the file is, no more than two such pieces are in memory. A line
 * longer than 1 MiB is left out or torn; what is no regular file, or is not there, has no lines.
 */
export function* readBackwards(file: string): Generator<string> {
  const open = openQuietly(file);
  if (!open) return;
  try {
    let start = open.sizeBytes;
    let rest: Buffer = nothing; // the end of a line whose beginning is in the piece before
    while (start > 0) {
      const length = Math.min(pieceBytes, start);
      start -= length;
      const piece = open.read(start, length);
      const bytes = rest.length > 0 ? Buffer.concat([piece, rest]) : piece;
      const from = start === 0 ? 0 : piece.indexOf(newline) + 1;
      if (start === 0 || from > 0) yield bytes.subarray(from).toString("utf8");
      if (from > 0) rest = bytes.subarray(0, from);
      else rest = bytes.length > pieceBytes ? nothing : bytes;
    }
  } finally {
    open.close();
  }
}

/** Whether a file ends within a line: the disk was full when it was written. */
export function endsTorn(file: string): boolean {
  const open = openQuietly(file);
  if (!open) return false;
  try {
    return open.sizeBytes > 0 && open.read(open.sizeBytes - 1, 1)[0] !== newline;
  } finally {
    open.close();
  }
}
