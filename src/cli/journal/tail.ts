import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../core/errors.ts";
import type { JournalLine } from "../../pipeline/journal.ts";
import { journalFiles, journalLines } from "./lines.ts";

interface Position {
  /** Tells the file from another one that took its name. */
  readonly inode: number;
  readonly offset: number;
  /** The beginning of a line whose end is still to come. */
  readonly rest: Buffer;
}

const newline = 0x0a;

/**
 * Follows the journal from where it was left off: over the end of a month, with lines that are still being written, and
 * from the beginning again when a file was cut or replaced. Begins with the whole of this month and the last.
 */
export class JournalTail {
  readonly #folder: string;
  readonly #first: string;
  readonly #positions = new Map<string, Position>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#first = journalFiles(folder).at(-2) ?? "";
  }

  /** What has come since the last call. */
  read(): JournalLine[] {
    const files = journalFiles(this.#folder).filter((file) => file >= this.#first);
    return files.flatMap((file) => journalLines(this.#readOn(file)));
  }

  #readOn(file: string): string {
    const descriptor = open(join(this.#folder, file));
    if (descriptor === undefined) return "";
    try {
      const { ino: inode, size } = fstatSync(descriptor);
      const seen = this.#positions.get(file);
      const goesOn = seen !== undefined && seen.inode === inode && seen.offset <= size;
      const { offset, rest } = goesOn ? seen : { offset: 0, rest: Buffer.alloc(0) };
      const added = readRange(descriptor, offset, size - offset);
      const bytes = Buffer.concat([rest, added]);
      const whole = bytes.lastIndexOf(newline) + 1;
      this.#positions.set(file, { inode, offset: offset + added.length, rest: bytes.subarray(whole) });
      return bytes.subarray(0, whole).toString("utf8");
    } finally {
      closeSync(descriptor);
    }
  }
}

function open(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined; // removed since the folder was listed
    throw error;
  }
}

function readRange(descriptor: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const count = readSync(descriptor, buffer, read, length - read, offset + read);
    if (count === 0) break; // cut meanwhile
    read += count;
  }
  return buffer.subarray(0, read);
}
