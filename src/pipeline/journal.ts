import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  type Dirent,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { cut } from "../core/cut.ts";
import { errnoOf } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Status } from "../core/vocabulary.ts";
import { endsTorn, readBackwards } from "./read-backwards.ts";

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
  /**
   * Appends a line, in one write, so that lines of several processes never mix. Never throws: lines that find no room, a
   * thousand at most, are written with the next one that does.
   */
  write(line: Omit<JournalLine, "at">): void;
  /** The lines about one event, oldest first, as far as `readJournal` looks back in the two newest months. */
  linesOf(id: string): readonly JournalLine[];
  /** Removes all files but those of the newest twelve months. Never throws. */
  prune(): void;
}

const keptMonths = 12;
const maxFieldChars = 1024;
/** Most lines that are kept until there is room for them. */
const maxUnwritten = 1000;
/** Most that `readJournal` reads of a journal, in bytes: 32 MiB, some hundred thousand lines. */
const maxReadBytes = 32 * 1024 * 1024;

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
  let mayBeTorn = true; // the last line in the file, by this worker or the one before
  let unwritten: readonly string[] = [];
  return {
    write(line) {
      const at = new Date(now()).toISOString();
      // Field by field, and before anything is cut: in JSON, or cut in two, a secret would look different.
      const text = JSON.stringify({ at, ...line }, (_, value) =>
        typeof value === "string" ? cut(redact(value), maxFieldChars, "utf16") : value,
      );
      unwritten = [...unwritten, `${text}\n`].slice(-maxUnwritten);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const file = join(folder, `${at.slice(0, 7)}.jsonl`);
        append(file, (mayBeTorn && endsTorn(file) ? "\n" : "") + unwritten.join(""));
        mayBeTorn = false;
        unwritten = [];
      } catch {
        mayBeTorn = true; // and a full disk must not keep a message from being delivered
      }
    },
    linesOf(id) {
      const isAbout = (text: string): boolean => text.includes(id);
      const written = readJournal(folder, 2, isAbout);
      return [...written, ...parseJournal(unwritten.filter(isAbout).join(""))].filter((line) => line.id === id);
    },
    prune() {
      try {
        for (const file of journalFiles(folder).slice(0, -keptMonths)) rmSync(join(folder, file), { force: true });
      } catch {
        // another user's; nor must this keep a message from being delivered
      }
    },
  };
}

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

/**
 * Appends to a journal file. One that this user may not write to, or a link, is set aside: `2026-11.jsonl.aside-1763…`.
 * Where a pipe has its name, it throws instead of waiting for a reader.
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
    // Of a link Linux and macOS say ELOOP, FreeBSD EMLINK.
    if (!["EACCES", "EPERM", "ELOOP", "EMLINK"].includes(errnoOf(error) ?? "")) throw error;
    renameSync(file, `${file}.aside-${Date.now()}`);
    return open();
  }
}

/** The fields that every journal line about an event repeats. */
export function identityOf({ id, event, agent, kind, sessionId, project }: AgentEvent) {
  return { id, event, agent, kind, ...omitUndefined({ sessionId }), project };
}

/** Statuses of a delivery or an event that did not reach its receiver and is not retried by itself. */
export const lostStatuses: readonly Status[] = ["failed", "expired", "rejected"];

/** Names of the journal's files, one a month (`2026-11.jsonl`), oldest first; none where the folder cannot be read. */
export function journalFiles(folder: string): readonly string[] {
  const files = entriesIn(folder).filter((entry) => entry.isFile() && /^\d{4}-\d{2}\.jsonl$/.test(entry.name));
  return files.map(({ name }) => name).sort();
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(errnoOf(error) ?? "")) return [];
    throw error;
  }
}

/** Files in the journal's folder that cannot be read, or were set aside because they could not be written to. */
export function lostJournalFiles(folder: string): readonly string[] {
  const names = entriesIn(folder).map(({ name }) => name);
  const setAside = names.filter((name) => /^\d{4}-\d{2}\.jsonl\.aside-\d+$/.test(name)).sort();
  return [...journalFiles(folder).filter((file) => !isReadable(join(folder, file))), ...setAside];
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The lines of the newest `months` files, oldest first; of more than 32 MiB, the newest.
 * @param isWanted tells by a line's text whether to parse it
 */
export function readJournal(folder: string, months: number, isWanted?: (line: string) => boolean): JournalLine[] {
  const found: JournalLine[][] = [];
  let leftBytes = maxReadBytes;
  for (const text of textsBackwards(folder, months)) {
    found.push(parseJournal(isWanted ? text.split("\n").filter(isWanted).join("\n") : text));
    leftBytes -= text.length;
    if (leftBytes <= 0) break;
  }
  return found.reverse().flat();
}

/**
 * Every line of the newest `limit` events that have a wanted line, oldest first. Where an event began further back than
 * its wanted line, up to 32 MiB more are read to find its beginning.
 */
export function newestEvents(folder: string, limit: number, wanted: (line: JournalLine) => boolean): JournalLine[] {
  const ids = new Set<string>();
  let leftBytes = maxReadBytes;
  for (const text of textsBackwards(folder)) {
    leftBytes += text.length;
    for (const line of parseJournal(text).reverse()) if (ids.size < limit && wanted(line)) ids.add(line.id);
    if (ids.size >= limit) break;
  }
  const found: JournalLine[][] = [];
  const unbegun = new Set(ids);
  for (const text of ids.size === 0 ? [] : textsBackwards(folder)) {
    const lines = parseJournal(text).filter(({ id }) => ids.has(id));
    for (const { id, status } of lines) if (status === "accepted" || status === "rejected") unbegun.delete(id);
    found.push(lines);
    leftBytes -= text.length;
    if (unbegun.size === 0 || leftBytes <= 0) break;
  }
  return found.reverse().flat();
}

/** Pieces of the journal, the newest first; see `readBackwards`. */
function* textsBackwards(folder: string, months: number = Number.POSITIVE_INFINITY): Generator<string> {
  for (const file of journalFiles(folder).slice(-months).reverse()) yield* readBackwards(join(folder, file));
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
