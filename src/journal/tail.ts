import { join } from "node:path";
import { openQuietly } from "../files/read-file.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";
import { journalFiles } from "./read-journal.ts";

interface Position {
  /** Tells the file from one that has replaced it. */
  readonly inode: number;
  readonly offset: number;
  /** The beginning of a line whose end is not written yet. */
  readonly rest: Buffer;
}

const newline = 0x0a;
const nothing: Buffer = Buffer.alloc(0);
/** Most that one call reads of a file, in bytes: 32 MiB. What is older is skipped. */
const maxReadBytes = 32 * 1024 * 1024;

/**
 * Follows the journal as it grows: into the next month's file, and from the beginning of a file that was truncated or
 * replaced. Holds back a line until it is written to its end. Starts with the two newest months, 32 MiB of each at
 * most.
 */
export class JournalTail {
  readonly #folder: string;
  readonly #first: string;
  readonly #positions = new Map<string, Position>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#first = journalFiles(folder).at(-2) ?? "";
  }

  /** The lines written since the last call; at the first call, those of the two newest months. */
  read(): JournalLine[] {
    const files = journalFiles(this.#folder).filter((file) => file >= this.#first);
    return files.flatMap((file) => parseJournal(this.#readOn(file)));
  }

  #readOn(file: string): string {
    const open = openQuietly(join(this.#folder, file)); // it may have been removed since the folder was listed
    if (!open) return "";
    try {
      const { inode, sizeBytes: size } = open;
      const seen = this.#positions.get(file);
      const goesOn = seen !== undefined && seen.inode === inode && seen.offset <= size;
      const next = goesOn ? seen : { offset: 0, rest: nothing };
      const skipTo = size - maxReadBytes;
      const { offset, rest } = skipTo > next.offset ? { offset: skipTo, rest: nothing } : next;
      const added = open.read(offset, size - offset);
      const bytes = Buffer.concat([rest, added]);
      const whole = bytes.lastIndexOf(newline) + 1;
      this.#positions.set(file, { inode, offset: offset + added.length, rest: bytes.subarray(whole) });
      return bytes.subarray(0, whole).toString("utf8");
    } finally {
      open.close();
    }
  }
}
