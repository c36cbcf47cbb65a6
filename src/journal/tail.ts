import { join } from "node:path";
import { withFile } from "../files/read-file.ts";
import { journalFiles } from "./journal-files.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";
import { maxReadBytes } from "./read-journal.ts";

interface Position {
  /** Inode, which changes if the file is replaced. */
  readonly inode: number;
  readonly offset: number;
  /** Beginning of a line that is not complete yet. */
  readonly rest: Buffer;
}

const newline = 0x0a;
const emptyBuffer: Buffer = Buffer.alloc(0);
/** Number of bytes read from a file's end to find an incomplete line: more than any line that beckon writes. */
const maxLineBytes = 512 * 1024;

/**
 * Follows the journal from its end while it grows. Goes on to the next month's file, and reads a truncated or replaced
 * file again from its start, at most 32 MiB. Returns a line only once it is complete.
 */
export class JournalTail {
  readonly #folder: string;
  readonly #first: string;
  readonly #positions = new Map<string, Position>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#first = journalFiles(folder).at(-2) ?? "";
    for (const file of this.#list()) this.#readAdded(file, maxLineBytes);
  }

  /** Returns the lines written since the last call, or since this was created. */
  read(): JournalLine[] {
    return this.#list().flatMap((file) => parseJournal(this.#readAdded(file, maxReadBytes)));
  }

  #list(): readonly string[] {
    return journalFiles(this.#folder).filter((file) => file >= this.#first);
  }

  #readAdded(file: string, maxBytes: number): string {
    // The file may be removed after the folder was listed.
    const lines = withFile(join(this.#folder, file), ({ inode, sizeBytes: size, read }) => {
      const seen = this.#positions.get(file);
      const isContinued = seen !== undefined && seen.inode === inode && seen.offset <= size;
      const next = isContinued ? seen : { offset: 0, rest: emptyBuffer };
      const skipTo = size - maxBytes;
      const { offset, rest } = skipTo > next.offset ? { offset: skipTo, rest: emptyBuffer } : next;
      const added = read(offset, size - offset);
      const bytes = Buffer.concat([rest, added]);
      const completeBytes = bytes.lastIndexOf(newline) + 1;
      this.#positions.set(file, { inode, offset: offset + added.length, rest: bytes.subarray(completeBytes) });
      return bytes.subarray(0, completeBytes).toString("utf8");
    });
    return lines ?? "";
  }
}
