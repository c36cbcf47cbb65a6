import type { Waiting } from "../attention/sessions.ts";
import type { Kind } from "../core/vocabulary.ts";
import { formatPlace, type JournalLine } from "../journal/journal-line.ts";
import type { Span } from "./day.ts";
import { buildSessionKey, readIdentity } from "./story.ts";

/** Time that a request, or another open event of a session, waited for the user. */
export interface Wait extends Span {
  readonly session: string;
  readonly agent: string;
  readonly project: string;
  readonly kind: Kind;
  /** Cause of its end, in the journal's words; undefined while it lasts. */
  readonly resolvedBy: string | undefined;
}

/** Collects the waits that ended in the lines, and the open waits. */
export function buildWaits(lines: readonly JournalLine[], open: readonly Waiting[], nowMs: number): Wait[] {
  return [...lines.flatMap((line) => endedWait(line) ?? []), ...open.map((waiting) => openWait(waiting, nowMs))];
}

function endedWait(line: JournalLine): Wait | undefined {
  const { status, agent = "", kind, waitedMs, resolvedBy = "" } = line;
  if (status !== "resolved" || waitedMs === undefined) return undefined;
  const endMs = Date.parse(line.at);
  const span = { startMs: endMs - waitedMs, endMs };
  return { ...span, session: buildSessionKey(line), agent, project: formatPlace(line), kind: kind as Kind, resolvedBy };
}

function openWait({ alert, concern: { atMs, kind } }: Waiting, nowMs: number): Wait {
  const identity = readIdentity(alert);
  const fields = { session: buildSessionKey(identity), agent: alert.agent, project: formatPlace(identity) };
  return { startMs: atMs, endMs: Math.max(atMs, nowMs), ...fields, kind, resolvedBy: undefined };
}

/** Ends of a wait without the user's reaction. */
const withoutReaction = ["forgotten", "agent gone", "session end"];

/** Tells if the user ended a wait. */
export function isReaction({ resolvedBy }: Pick<Wait, "resolvedBy">): boolean {
  return resolvedBy !== undefined && !withoutReaction.includes(resolvedBy);
}
