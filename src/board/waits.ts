import { journalKey } from "../attention/session-keys.ts";
import type { Waiting } from "../attention/sessions.ts";
import type { Kind } from "../core/vocabulary.ts";
import { formatPlace, type JournalLine } from "../journal/journal-line.ts";
import type { Span } from "./day.ts";
import { readIdentity, type Story } from "./story.ts";

/** Span in which a request or another open event waited for the user. */
export interface Wait extends Span, Pick<Story, "session" | "agent" | "project" | "kind"> {
  /** Reason the wait ended, in the journal's words; undefined while the wait continues. */
  readonly resolvedBy: string | undefined;
}

/** Collects the waits that ended according to the journal lines, and the waits that are still open. */
export function buildWaits(lines: readonly JournalLine[], open: readonly Waiting[], nowMs: number): Wait[] {
  return [...lines.flatMap((line) => endedWait(line) ?? []), ...open.map((waiting) => openWait(waiting, nowMs))];
}

function endedWait(line: JournalLine): Wait | undefined {
  const { status, agent = "", kind, waitedMs, resolvedBy = "" } = line;
  if (status !== "resolved" || waitedMs === undefined) return undefined;
  const endMs = Date.parse(line.at);
  const span = { startMs: endMs - waitedMs, endMs };
  return { ...span, session: journalKey(line), agent, project: formatPlace(line), kind: kind as Kind, resolvedBy };
}

function openWait({ alert, concern: { atMs, kind } }: Waiting, nowMs: number): Wait {
  const identity = readIdentity(alert);
  const fields = { session: journalKey(identity), agent: alert.agent, project: formatPlace(identity) };
  return { startMs: atMs, endMs: Math.max(atMs, nowMs), ...fields, kind, resolvedBy: undefined };
}

/** Reasons for which a wait ends without the user. */
const withoutReaction = ["forgotten", "agent gone", "session end"];

/** Tells if the user's reaction ended a wait. */
export function isReaction({ resolvedBy }: Pick<Wait, "resolvedBy">): boolean {
  return resolvedBy !== undefined && !withoutReaction.includes(resolvedBy);
}
