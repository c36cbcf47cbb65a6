import { appendFileSync, closeSync, constants, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { quietly } from "../core/quietly.ts";
import { cutCounted } from "../text/cut.ts";
import { endsTorn, removeOldFiles } from "./journal-files.ts";
import { type JournalLine, parseJournal } from "./journal-line.ts";
import { readJournal } from "./read-journal.ts";

/** Append-only journal of what happened to events. */
export type Journal = ReturnType<typeof openJournal>;

/** Maximum lengths of an event's text, which is an audit trail if it is a request, and of other texts, in UTF-16 units. */
const [maxSummaryChars, maxFieldChars] = [4_000, 1_024];
/** Maximum number of lines kept while the disk is full. */
const maxUnwritten = 1000;

/**
 * Opens the journal in a folder. The journal has one file per month: `2026-11.jsonl`.
 * @param now current time, Unix milliseconds
 * @param redact replaces secrets in every field that is written
 */
export function openJournal(folder: string, now: () => number, redact = (text: string) => text) {
  let mayBeTorn = true; // true if the file's last line may be partial, from this worker or the one before
  let unwritten: readonly string[] = [];
  return {
    /**
     * Appends a line in one write, so that the lines of several processes never mix. Never throws. On a full disk, keeps
     * up to a thousand lines in memory until a write succeeds.
     */
    write(line: Omit<JournalLine, "at">): void {
      const at = new Date(now()).toISOString();
      // Redacted per field and before cutting. In JSON, or cut in half, a secret would look different.
      const text = JSON.stringify({ at, ...line }, (name, value) => {
        const maxChars = name === "summary" ? maxSummaryChars : maxFieldChars;
        if (typeof value === "string") return cutCounted(redact(value), maxChars, "utf16");
        return typeof value === "number" && name.endsWith("Ms") ? Math.round(value) : value;
      });
      unwritten = [...unwritten, `${text}\n`].slice(-maxUnwritten);
      try {
        const file = join(folder, `${at.slice(0, 7)}.jsonl`);
        append(file, (mayBeTorn && endsTorn(file) ? "\n" : "") + unwritten.join(""));
        mayBeTorn = false;
        unwritten = [];
      } catch {
        mayBeTorn = true; // a full disk must not block a delivery
      }
    },
    /** Returns the lines about one event from the two newest months, oldest first, within the limits of `readJournal`. */
    readLines(id: string): readonly JournalLine[] {
      const written = readJournal(folder, 2, id);
      return [...written, ...parseJournal(unwritten.join(""))].filter((line) => line.id === id);
    },
    /** Removes all but the newest twelve monthly files. Never throws. */
    prune(): void {
      // May be another user's; nor must this keep a message from being delivered.
      quietly(() => removeOldFiles(folder));
    },
  };
}

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

/**
 * Appends to a journal file. If the file is a link, or this user may not write it, first renames it to
 * `2026-11.jsonl.aside-1763…`. Throws if the path is a pipe, instead of waiting for a reader.
 */
function append(file: string, text: string): void {
  const descriptor = openOrSetAside(file);
  try {
    appendFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function openOrSetAside(file: string): number {
  const open = () => openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY, 0o600);
  try {
    return open();
  } catch (error) {
    if (readErrno(error) === "ENOENT") {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      return open();
    }
    // For links, Linux and macOS return ELOOP, and FreeBSD EMLINK.
    if (!["EACCES", "EPERM", "ELOOP", "EMLINK"].includes(readErrno(error) ?? "")) throw error;
    renameSync(file, `${file}.aside-${Date.now()}`);
    return open();
  }
}
