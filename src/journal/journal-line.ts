import { type AgentEvent, relayedFrom } from "../core/event.ts";
import { isObject, parseJson } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Status } from "../core/vocabulary.ts";

/** Fields of a journal line and their types, in the order in which lines are read. */
const fields = {
  /** Time of the line, ISO 8601. */
  at: "string",
  id: "string",
  /** Time at which the hook recorded the event, ISO 8601; only in the line of an accepted event of this machine. */
  receivedAt: "string",
  event: "string",
  agent: "string",
  kind: "string",
  sessionId: "string",
  project: "string",
  /** Name of the machine that relayed the event to this one; absent for an event of this machine. */
  host: "string",
  /** Agent's message in one line; only in the line of an accepted event. */
  summary: "string",
  /** Session's title; only in the line of an accepted event. */
  title: "string",
  /** Length of the ended turn, milliseconds; only in the line of an accepted event. */
  turnMs: "number",
  /** Tokens of the session so far, without cache reads; absent if the count is partial. */
  tokens: "number",
  /** Credits of the session so far, if the agent counts them. */
  credits: "number",
  notifier: "string",
  /** Number of this message among the notifier's messages about the event, from 1; absent if it is sent at once. */
  step: "number",
  status: "string",
  reason: "string",
  /** Number of the attempt, from 1. */
  attempt: "number",
  tookMs: "number",
  /** Time until which the message is held, ISO 8601. */
  until: "string",
  /** Reason why the message is held: `wait`, `step`, `silence`, `watching`, `typing`, `presence`. */
  heldFor: "string",
  /** Cause that resolved the concern: `prompt`, `stop`, `seen` … */
  resolvedBy: "string",
  /** Time from the event to the resolution of its concern or to the answer, in milliseconds. */
  waitedMs: "number",
  /** Answer to a permission request: `allow` or `deny`. */
  choice: "string",
  /** Name of the user who answered a permission request. */
  by: "string",
  /** Origin of the answer: a notifier's name, `terminal` or `board`. */
  via: "string",
  /** Hash of the permission request. */
  hash: "string",
} as const;
type Fields = {
  readonly [Name in keyof typeof fields]: (typeof fields)[Name] extends "number" ? number : string;
};
const required = ["at", "id", "status"] as const;

/** Line of the journal: what happened to an event as a whole, or at one notifier. */
export interface JournalLine extends Pick<Fields, "at" | "id">, Partial<Omit<Fields, (typeof required)[number]>> {
  readonly status: Status;
}

/** Builds the fields that all journal lines about an event have in common. */
export function identifyEvent(agentEvent: AgentEvent) {
  const { id, event, agent, kind, sessionId, project } = agentEvent;
  return omitUndefined({ id, event, agent, kind, sessionId, project, host: relayedFrom(agentEvent) });
}

/** Finds the time at which an event arrived, ISO 8601: as its hook recorded it, or else as its first line has it. */
export function findArrival(lines: readonly JournalLine[]): string {
  return lines.find(({ receivedAt }) => receivedAt !== undefined)?.receivedAt ?? lines[0]?.at ?? "";
}

/** Names the project and, if the event was relayed, its machine: `shop@devbox`. */
export function formatPlace({ project = "", host }: Pick<JournalLine, "project" | "host">): string {
  return host === undefined ? project : `${project}@${host}`;
}

/** Reason for skipping an event that matches no route. */
export const unroutedReason = "no route matches";
/** Beginning of the reason for an event that got no notifier because of errors in the configuration. */
export const lostReason = "an error in the configuration left it no notifier";

/** True if the reason for skipping an event is that no notifier was chosen for it. */
export function isUnrouted(reason = ""): boolean {
  return reason === unroutedReason || reason.startsWith(lostReason);
}

/** Statuses of deliveries and events that were not delivered and are not retried automatically. */
export const lostStatuses: readonly Status[] = ["failed", "expired", "rejected"];

/** Parses a journal's text. Keeps each line's known fields, in the order of `JournalLine`. Skips malformed lines. */
export function parseJournal(text: string): JournalLine[] {
  const lines: JournalLine[] = [];
  for (const rawLine of text.split("\n")) {
    const line = rawLine === "" ? undefined : asJournalLine(parseJson(rawLine));
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

const knownFields = Object.entries(fields);

function asJournalLine(found: unknown): JournalLine | undefined {
  if (!isObject(found)) return undefined;
  const line: Record<string, unknown> = {};
  for (const [key, type] of knownFields) {
    const field = found[key];
    if (field === undefined) continue;
    if (typeof field !== type) return undefined;
    line[key] = field;
  }
  return required.every((key) => line[key] !== undefined) ? (line as unknown as JournalLine) : undefined;
}

/**
 * Finds the lines about lost deliveries that were neither sent nor became needless later. `lines` must have all lines of
 * each event.
 */
export function lostLines(lines: readonly JournalLine[]): JournalLine[] {
  const settled = lines.filter(({ status }) => status === "sent" || status === "skipped");
  const latest = new Map(settled.map((line) => [deliveryKey(line), line.at]));
  return lines.filter((line) => lostStatuses.includes(line.status) && (latest.get(deliveryKey(line)) ?? "") < line.at);
}

function deliveryKey({ id, notifier }: JournalLine): string {
  return `${id} ${notifier ?? ""}`;
}
