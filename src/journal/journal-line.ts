import { type AgentEvent, relayedFrom } from "../core/event.ts";
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
  /** Name of the machine whose beckon handed it over. */
  readonly host?: string;
  /** One line of what the agent said; only in the line of an event that is accepted. */
  readonly summary?: string;
  /** The session's title, in the line of an event that is accepted. */
  readonly title?: string;
  /** How long the turn took that the event ends, milliseconds; only in the line of an event that is accepted. */
  readonly turnMs?: number;
  /**
   * Tokens that the session has taken until then, without what was read from a cache, where the whole of it is known.
   */
  readonly tokens?: number;
  /** Credits that the session has taken until then, where the agent counts them. */
  readonly credits?: number;
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
  /** What it is held for: `wait`, `step`, `silence`, `watching`, `typing`, `presence`. */
  readonly heldFor?: string;
  /** What ended the wait for the person: `prompt`, `stop`, `seen` …, and how long it was, milliseconds. */
  readonly resolvedBy?: string;
  readonly waitedMs?: number;
}

/** The fields that every journal line about an event repeats. */
export function identityOf(of: AgentEvent) {
  const { id, event, agent, kind, sessionId, project } = of;
  return {
    id,
    event,
    agent,
    kind,
    ...omitUndefined({ sessionId }),
    project,
    ...omitUndefined({ host: relayedFrom(of) }),
  };
}

/** The project, with the machine where it is another: `shop@devbox`. */
export function placeOf({ project = "", host }: Pick<JournalLine, "project" | "host">): string {
  return host === undefined ? project : `${project}@${host}`;
}

/** Why an event is skipped that is no echo: nobody is to be told of it. */
export const unroutedReason = "no route matches";
/** Beginning of the reason for an event whose notifiers have errors. */
export const lostReason = "an error in the configuration left it no notifier";

/** Tells if an event was skipped because it had no notifier. */
export function isUnrouted(reason = ""): boolean {
  return reason === unroutedReason || reason.startsWith(lostReason);
}

/** Statuses of a delivery or an event that did not reach its receiver and is not retried by itself. */
export const lostStatuses: readonly Status[] = ["failed", "expired", "rejected"];

/** The lines of a journal's text, each with its known fields, in the order of `JournalLine`. Skips everything else. */
export function parseJournal(text: string): JournalLine[] {
  const lines: JournalLine[] = [];
  for (const one of text.split("\n")) {
    const line = one === "" ? undefined : asJournalLine(parsed(one));
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // torn by a full disk
  }
}

const fields = {
  at: "string",
  id: "string",
  event: "string",
  agent: "string",
  kind: "string",
  sessionId: "string",
  project: "string",
  host: "string",
  summary: "string",
  title: "string",
  turnMs: "number",
  tokens: "number",
  credits: "number",
  notifier: "string",
  step: "number",
  status: "string",
  reason: "string",
  attempt: "number",
  tookMs: "number",
  until: "string",
  heldFor: "string",
  resolvedBy: "string",
  waitedMs: "number",
} as const satisfies Readonly<Record<keyof JournalLine, "string" | "number">>;
const required = ["at", "id", "status"] as const;

const knownFields = Object.entries(fields);

function asJournalLine(value: unknown): JournalLine | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = value as Readonly<Record<string, unknown>>;
  const line: Record<string, unknown> = {};
  for (const [key, type] of knownFields) {
    const field = found[key];
    if (field === undefined) continue;
    if (typeof field !== type) return undefined;
    line[key] = field;
  }
  return required.every((key) => line[key] !== undefined) ? (line as unknown as JournalLine) : undefined;
}

/** Of whole events' lines, those that say that something was lost which no later attempt has sent. */
export function lostLines(lines: readonly JournalLine[]): JournalLine[] {
  const sent = new Map(lines.filter(({ status }) => status === "sent").map((line) => [deliveryKey(line), line.at]));
  return lines.filter((line) => lostStatuses.includes(line.status) && (sent.get(deliveryKey(line)) ?? "") < line.at);
}

function deliveryKey({ id, notifier }: JournalLine): string {
  return `${id} ${notifier ?? ""}`;
}
