import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cut } from "../core/cut.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Status } from "../core/vocabulary.ts";

/** One line of the journal: what happened to an event, at one notifier or altogether. Absent fields are left out. */
export interface JournalLine {
  /** ISO 8601. */
  readonly at: string;
  readonly id: string;
  readonly event?: string;
  readonly agent?: string;
  readonly kind?: string;
  readonly sessionId?: string;
  readonly project?: string;
  /** One line of what was said, in the line of an event that is accepted. */
  readonly summary?: string;
  readonly notifier?: string;
  readonly status: Status;
  readonly reason?: string;
  readonly attempt?: number;
  readonly tookMs?: number;
}

export interface Journal {
  /** Appends a line, in one write, so that lines of several processes never mix. Never throws. */
  write(line: Omit<JournalLine, "at">): void;
  /** What is known of one event, oldest first; looks at this month and the last. */
  linesOf(id: string): readonly JournalLine[];
  /** Drops all but the newest twelve months. */
  prune(): void;
}

const keptMonths = 12;

const maxFieldChars = 1024;

/** The journal in a folder, a file a month: `2026-11.jsonl`. */
export function openJournal(
  folder: string,
  now: () => number,
  redact: (text: string) => string = (text) => text,
): Journal {
  return {
    write(line) {
      const at = new Date(now()).toISOString();
      // Field by field, and before anything is cut: in JSON, or cut in two, a secret would look different.
      const text = JSON.stringify({ at, ...line }, (_, value) =>
        typeof value === "string" ? cut(redact(value), maxFieldChars, "utf16") : value,
      );
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(join(folder, `${at.slice(0, 7)}.jsonl`), `${text}\n`, { mode: 0o600 });
      } catch {
        // a full disk must not keep a message from being delivered
      }
    },
    linesOf: (id) => readJournal(folder, 2).filter((line) => line.id === id),
    prune() {
      for (const file of monthFiles(folder).slice(0, -keptMonths)) rmSync(join(folder, file), { force: true });
    },
  };
}

/** What every line about an event says of it. */
export function identityOf({ id, event, agent, kind, sessionId, project }: AgentEvent) {
  return { id, event, agent, kind, ...(sessionId !== undefined && { sessionId }), project };
}

/** The lines of the newest `months` files, oldest first; lines that are not whole are passed over. */
export function readJournal(folder: string, months: number): readonly JournalLine[] {
  const files = monthFiles(folder).slice(-months);
  return files.flatMap((file) => parseJournal(readFileSync(join(folder, file), "utf8")));
}

function monthFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /^\d{4}-\d{2}\.jsonl$/.test(file))
    .sort();
}

/** Lines of a journal file's text. */
export function parseJournal(text: string): JournalLine[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line || "null");
      return typeof value === "object" && value !== null ? [value as JournalLine] : [];
    } catch {
      return []; // torn by a full disk
    }
  });
}
