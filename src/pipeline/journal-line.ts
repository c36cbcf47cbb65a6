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
  /** The session's title, in the line of an event that is accepted. */
  readonly title?: string;
  readonly notifier?: string;
  /** Which telling at the notifier, from 1; absent for the first. */
  readonly step?: number;
  readonly status: Status;
  readonly reason?: string;
  /** Counts from 1. */
  readonly attempt?: number;
  readonly tookMs?: number;
  /** Until when it is held, ISO 8601. */
  readonly until?: string;
  /** What ended the wait for the person: `prompt`, `stop`, `seen` …, and how long it was, milliseconds. */
  readonly resolvedBy?: string;
  readonly waitedMs?: number;
}

/** The fields that every journal line about an event repeats. */
export function identityOf({ id, event, agent, kind, sessionId, project }: AgentEvent) {
  return { id, event, agent, kind, ...omitUndefined({ sessionId }), project };
}

/** Statuses of a delivery or an event that did not reach its receiver and is not retried by itself. */
export const lostStatuses: readonly Status[] = ["failed", "expired", "rejected"];

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
  title: "string",
  notifier: "string",
  step: "number",
  status: "string",
  reason: "string",
  attempt: "number",
  tookMs: "number",
  until: "string",
  resolvedBy: "string",
  waitedMs: "number",
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
