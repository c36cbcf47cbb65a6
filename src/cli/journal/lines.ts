import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "../../core/vocabulary.ts";
import { type JournalLine, parseJournal } from "../../pipeline/journal.ts";
import { listFolder } from "../list-folder.ts";

/** Endings that mean somebody was not told who should have been. */
export const lostStatuses: readonly Status[] = ["failed", "expired", "rejected"];

/** The journal's files, oldest first. */
export function journalFiles(folder: string): readonly string[] {
  return listFolder(folder).filter((file) => /^\d{4}-\d{2}\.jsonl$/.test(file));
}

/** The lines of a text that are whole lines of a journal; anything else is passed over. */
export function journalLines(text: string): JournalLine[] {
  return parseJournal(text).filter(isJournalLine);
}

/** The newest `limit` lines that are wanted, oldest first. No more files are read than that takes. */
export function newestLines(folder: string, limit: number, wanted: (line: JournalLine) => boolean): JournalLine[] {
  let found: JournalLine[] = [];
  for (const file of journalFiles(folder).toReversed()) {
    if (found.length >= limit) break;
    found = [...journalLines(readFileSync(join(folder, file), "utf8")).filter(wanted), ...found];
  }
  return found.slice(-limit);
}

/** What was written at or after an instant, oldest first; looks at this month and the last. */
export function linesSince(folder: string, sinceMs: number): JournalLine[] {
  const texts = journalFiles(folder)
    .slice(-2)
    .map((file) => readFileSync(join(folder, file), "utf8"));
  return texts.flatMap(journalLines).filter(({ at }) => Date.parse(at) >= sinceMs);
}

const keys = [
  ["at", "string"],
  ["id", "string"],
  ["event", "string"],
  ["agent", "string"],
  ["kind", "string"],
  ["sessionId", "string"],
  ["project", "string"],
  ["summary", "string"],
  ["notifier", "string"],
  ["status", "string"],
  ["reason", "string"],
  ["attempt", "number"],
  ["tookMs", "number"],
] as const satisfies readonly (readonly [keyof JournalLine, string])[];

/** The line as `log --json` prints it: these keys, in this order, no others. */
export function journalJson(line: JournalLine): string {
  return JSON.stringify(
    Object.fromEntries(keys.flatMap(([key]) => (line[key] === undefined ? [] : [[key, line[key]]]))),
  );
}

function isJournalLine(value: unknown): value is JournalLine {
  if (typeof value !== "object" || value === null) return false;
  const line = value as Record<string, unknown>;
  const required = ["at", "id", "status"].every((key) => line[key] !== undefined);
  return required && keys.every(([key, type]) => line[key] === undefined || typeof line[key] === type);
}
