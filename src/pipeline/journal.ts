import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cut } from "../core/cut.ts";
import { errnoOf } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
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
  /** One line of what the agent said; only in the line of an event that is accepted. */
  readonly summary?: string;
  readonly notifier?: string;
  readonly status: Status;
  readonly reason?: string;
  /** Counts from 1. */
  readonly attempt?: number;
  readonly tookMs?: number;
}

export interface Journal {
  /** Appends a line, in one write, so that lines of several processes never mix. Never throws. */
  write(line: Omit<JournalLine, "at">): void;
  /** The lines about one event, oldest first; at most those of the two newest months. */
  linesOf(id: string): readonly JournalLine[];
  /** Removes all files but those of the newest twelve months. */
  prune(): void;
}

const keptMonths = 12;
const maxFieldChars = 1024;

/**
 * The journal in a folder, one file a month: `2026-11.jsonl`.
 * @param now Unix milliseconds
 * @param redact replaces secrets in every field that is written
 */
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
      for (const file of journalFiles(folder).slice(0, -keptMonths)) rmSync(join(folder, file), { force: true });
    },
  };
}

/** The fields that every journal line about an event repeats. */
export function identityOf({ id, event, agent, kind, sessionId, project }: AgentEvent) {
  return { id, event, agent, kind, ...omitUndefined({ sessionId }), project };
}

/** Statuses of a delivery or an event that did not reach its receiver and is not retried by itself. */
export const lostStatuses: readonly Status[] = ["failed", "expired", "rejected"];

/** Names of the journal's files, one a month (`2026-11.jsonl`), oldest first; none where there is no such folder. */
export function journalFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((file) => /^\d{4}-\d{2}\.jsonl$/.test(file))
      .sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** The lines of the newest `months` files, oldest first. */
export function readJournal(folder: string, months: number): JournalLine[] {
  return journalFiles(folder)
    .slice(-months)
    .flatMap((file) => readLines(folder, file));
}

/** The newest `limit` lines that are wanted, oldest first. Reads as few files as that takes. */
export function newestLines(folder: string, limit: number, wanted: (line: JournalLine) => boolean): JournalLine[] {
  let found: JournalLine[] = [];
  for (const file of journalFiles(folder).toReversed()) {
    if (found.length >= limit) break;
    found = [...readLines(folder, file).filter(wanted), ...found];
  }
  return found.slice(-limit);
}

function readLines(folder: string, file: string): JournalLine[] {
  return parseJournal(readFileSync(join(folder, file), "utf8"));
}

/** The lines of a journal's text, each with its known fields, in the order of `JournalLine`. Skips everything else. */
export function parseJournal(text: string): JournalLine[] {
  return text.split("\n").flatMap((line) => {
    try {
      return asJournalLine(JSON.parse(line || "null")) ?? [];
    } catch {
      return []; // torn by a full disk
    }
  });
}

const fields = {
  at: "string",
  id: "string",
  event: "string",
  agent: "string",
  kind: "string",
  sessionId: "string",
  project: "string",
  summary: "string",
  notifier: "string",
  status: "string",
  reason: "string",
  attempt: "number",
  tookMs: "number",
} as const satisfies Readonly<Record<keyof JournalLine, "string" | "number">>;
const required = ["at", "id", "status"] as const;

function asJournalLine(value: unknown): JournalLine | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = value as Readonly<Record<string, unknown>>;
  const known = Object.entries(fields).filter(([key]) => found[key] !== undefined);
  const isLine =
    required.every((key) => found[key] !== undefined) && known.every(([key, type]) => typeof found[key] === type);
  return isLine ? (Object.fromEntries(known.map(([key]) => [key, found[key]])) as unknown as JournalLine) : undefined;
}
