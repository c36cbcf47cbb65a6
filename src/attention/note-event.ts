import { readCallId } from "../core/agent.ts";
import { type AgentEvent, isOwnMessage, pushType } from "../core/event.ts";
import { type FoundFacts, hasWorkedSince } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { RelayedState } from "../core/ports.ts";
import { answerEvent, promptEvent, seenEvent, silentEvents } from "../core/vocabulary.ts";
import type { RunningProcess } from "../files/process-table.ts";
import {
  type Alert,
  acknowledged,
  type Concern,
  changeOpen,
  findAskedCalls,
  hasMessage,
  isOpen,
  resolved,
} from "./alert.ts";
import { threadKey } from "./session-keys.ts";
import { isSampleSession } from "./session-memory.ts";

/** Number of resolved concerns that an alert keeps, for deliveries that still wait when a concern is resolved. */
const maxResolvedConcerns = 20;
/** Maximum length of an event's texts that are kept for changing messages later, in UTF-16 units. */
const maxStoredChars = 4_000;

/**
 * Updates a session's alert with an event. The event may resolve earlier concerns and raise a new one. A skipped event
 * only resolves requests, and only if it ends a turn or the session. Because events may be handled late, concerns that
 * arose after the event's arrival stay open.
 * @param alert the session's alert so far
 * @param now.agentProcess the agent's process, if it is running
 */
export function noteEvent(
  alert: Alert | undefined,
  event: AgentEvent,
  facts: FoundFacts,
  { nowMs, agentProcess }: { readonly nowMs: number; readonly agentProcess?: RunningProcess | undefined },
): Alert {
  const known = withTurnEnd(alert, event);
  if (event.skip !== undefined) return endsRequests(event) ? dropExcess(settle(known, event, facts, nowMs)) : known;
  const noted = event.event === seenEvent ? known : applyEvent(known, event, facts, agentProcess);
  const settled = settle(noted, event, facts, nowMs);
  return dropExcess(
    isRaising(event) ? { ...settled, concerns: raiseConcern(settled.concerns, event, facts) } : settled,
  );
}

/** Resolves the concerns that an event ends; if it is skipped, only requests. */
function settle(alert: Alert, event: AgentEvent, facts: FoundFacts, nowMs: number): Alert {
  const ended = findEndedByDialog(alert.concerns.filter(isOpen), event, facts);
  return changeOpen(alert, (concern) => {
    if (event.skip !== undefined && concern.kind !== "needs-you") return concern;
    const by = concern.atMs <= event.atMs && concern.id !== event.id ? resolvedBy(concern, event, facts) : undefined;
    const cause = by ?? (concern.id === ended?.id ? "result" : undefined);
    return cause === undefined ? concern : resolved(concern, cause, Math.max(nowMs, concern.atMs));
  });
}

/** True for an event that ends requests even if it is skipped: the end of a turn or of the session. */
export function endsRequests(event: AgentEvent): boolean {
  return isTurnEnd(event) || event.event === "SessionEnd";
}

/** Reason to skip the end of a turn in which the agent only replied to another agent. */
export const mateReplyReason = "only another agent's message was answered";

/** True for an event that ends a turn of the session itself. The user, or a rule about mates, may have silenced it. */
export function isTurnEnd({ event, skip = mateReplyReason }: AgentEvent): boolean {
  return event === "Stop" && (skip === mateReplyReason || /^the user (?:interrupted|stopped)/.test(skip));
}

/** Notes in the alert that an event ends the session's turn. Returns the alert unchanged for other events. */
export function withTurnEnd(alert: Alert | undefined, event: AgentEvent): Alert {
  const known = alert ?? newAlert(event);
  const { id, atMs, turnId } = event;
  if (!isTurnEnd(event) || atMs < (known.turnEnd?.atMs ?? 0)) return known;
  return { ...known, turnEnd: { id, atMs, turnId } };
}

/** Updates the alert's facts about the session from an event. */
function applyEvent(known: Alert, event: AgentEvent, facts: FoundFacts, agentProcess?: RunningProcess): Alert {
  return {
    ...known,
    ...omitUndefined({
      title: facts.title,
      cwd: event.cwd,
      transcriptPath: event.transcriptPath,
      processes: event.processes && [...event.processes],
      agentStartTicks: agentProcess?.startTicks,
      terminalDevice: agentProcess?.terminalDevice || undefined,
      terminal: event.terminal,
    }),
    project: event.project,
    ...omitUndefined({ projectDir: event.projectDir, place: event.place }),
    ...(event.atMs >= known.lastAtMs && { lastAtMs: event.atMs, lastEvent: event.event }),
    ...(event.event === promptEvent && { promptedAtMs: Math.max(event.atMs, known.promptedAtMs ?? 0) }),
  };
}

function newAlert({ agent, host, isRelayed, sessionId, cwd, project, atMs, event }: AgentEvent): Alert {
  const key = threadKey({ agent, ...omitUndefined({ host, sessionId, cwd }) });
  const session = omitUndefined({ host, isRelayed, sessionId, cwd });
  return { v: 1, key, agent, ...session, project, lastAtMs: atMs, lastEvent: event, concerns: [] };
}

/** Returns how an event resolves a concern, in the journal's words; undefined if the concern stays open. */
function resolvedBy(concern: Concern, event: AgentEvent, facts: FoundFacts): string | undefined {
  if (event.event === promptEvent) return "prompt";
  if (event.event === seenEvent) return "seen";
  if (event.event === answerEvent)
    return concern.calls.some((id) => id === readCallId(event.extra)) ? "result" : undefined;
  if (event.event === "Stop" && concern.kind !== "needs-you") return "later turn";
  if (event.event === "Stop") return isAskedBy(concern, facts.work?.running ?? []) ? undefined : "stop";
  if (concern.kind !== "needs-you") return detectContinuation(concern, event, facts);
  if (event.event === "SessionEnd") return "session end";
  if (event.event === "SubagentStop") return isAskedBy(concern, [{ id: event.extra.agent_id }]) ? "stop" : undefined;
  if (event.kind !== "needs-you") return undefined;
  return resolvedByCalls(concern.calls, facts) ?? (isAskedAgain(concern, event) ? "result" : undefined);
}

/** True for a request of one of the sub-agents. */
function isAskedBy({ calls, event }: Concern, agents: readonly { readonly id: unknown }[]): boolean {
  const isAsker = (agent: unknown) => agent !== undefined && agents.some(({ id }) => id === agent);
  return isAsker(event.extra.agent_id) || (calls.length > 0 && calls.every((call) => isAsker(call.split("/")[0])));
}

/** True if a new request of the same kind asks for the calls that are left of an earlier one, some of which have ended. */
function isAskedAgain({ calls, event, facts: { openCalls = [] } }: Concern, next: AgentEvent): boolean {
  const namesNone = next.dialog === undefined && (next.extra.tool_name ?? readCallId(next.extra)) === undefined;
  const isSame = namesNone && next.notificationType === event.notificationType;
  return isSame && calls.length > 0 && openCalls.some((id) => !calls.includes(id));
}

/**
 * Finds the request that an MCP server's dialog ends: with its answer, the oldest dialog of that server, or of an
 * unknown one; with its opening, the permission for the only call in which the server can ask.
 */
function findEndedByDialog(open: readonly Concern[], event: AgentEvent, facts: FoundFacts): Concern | undefined {
  const { dialog, atMs } = event;
  const earlier = open.filter((concern) => concern.kind === "needs-you" && concern.atMs <= atMs);
  if (!dialog?.isAnswered) {
    const [call, ...others] = dialog ? findAskedCalls(event, facts) : [];
    const isOnly = call !== undefined && others.length === 0;
    return earlier.find(({ calls, event: { dialog } }) => isOnly && !dialog && calls.length === 1 && calls[0] === call);
  }
  const isSame = (one: string | undefined, other: string | undefined) =>
    one === undefined || other === undefined || one === other;
  const dialogs = earlier.filter(
    ({ event: { dialog: asked } }) => asked && isSame(asked.server, dialog.server) && isSame(asked.id, dialog.id),
  );
  return dialogs.find(({ event: { dialog: asked } }) => asked?.server === dialog.server) ?? dialogs[0];
}

/**
 * Returns `went on` if a turn that ended has continued, because another hook refused to let it end: the event is a
 * request, and the transcript shows work since the turn's end. Otherwise undefined.
 */
function detectContinuation({ kind, atMs }: Concern, event: AgentEvent, { work }: FoundFacts): string | undefined {
  const isWork = event.kind === "needs-you" && work !== undefined && hasWorkedSince(atMs, work);
  return kind === "finished" && isWork ? "went on" : undefined;
}

/** Returns `result` if the transcript shows an answer to each call of a request; otherwise undefined. */
export function resolvedByCalls(calls: readonly string[], { work }: FoundFacts): string | undefined {
  if (calls.length === 0 || work === undefined) return undefined;
  const ended = work.calls.flatMap(({ id, answeredAtMs }) => (answeredAtMs === undefined ? [] : id));
  const answered = new Set([...(work.answered ?? []), ...ended]);
  return calls.every((id) => answered.has(id)) ? "result" : undefined;
}

/**
 * True if an event raises a concern. A sample event does so even as `info`, so that its messages are withdrawn. A
 * finished command, or a `finished` message of `beckon send` or the agent, does not: it needs nothing from the user.
 */
function isRaising(event: AgentEvent): boolean {
  if (silentEvents.includes(event.event)) return false;
  if (event.kind === "finished" && (isOwnMessage(event) || event.notificationType === pushType)) return false;
  return event.kind !== "info" || isSampleSession(event.sessionId);
}

function raiseConcern(concerns: readonly Concern[], event: AgentEvent, facts: FoundFacts): Concern[] {
  if (concerns.some(({ id }) => id === event.id)) return [...concerns];
  const asked = new Set(concerns.filter(isOpen).flatMap(({ calls }) => calls));
  const found = event.kind === "needs-you" ? findAskedCalls(event, facts, asked) : [];
  const calls = found.filter((id) => resolvedByCalls([id], facts) === undefined);
  const { work: _, readTo, ...shown } = facts;
  const { agent_id } = event.extra;
  const concern: Concern = {
    id: event.id,
    atMs: event.atMs,
    kind: event.kind,
    state: "pending",
    calls,
    ...omitUndefined({ readTo }),
    ...(found.length > calls.length && calls.length === 0 && { wasAnswered: true as const }),
    ...(facts.work?.isReplyToMate && { isReplyToMate: true as const }),
    event: cutTexts({ ...event, extra: omitUndefined({ agent_id }) }),
    facts: cutTexts(shown),
    messages: {},
  };
  return [...concerns, concern];
}

/** Cuts all texts in a value, because an alert is kept for a day and written often. */
function cutTexts<T extends object>(value: T): T {
  const cutText = (_: string, field: unknown) => (typeof field === "string" ? field.slice(0, maxStoredChars) : field);
  return JSON.parse(JSON.stringify(value, cutText)) as T;
}

/** Drops the oldest resolved concerns above the limit, except those with a message that must still be withdrawn. */
function dropExcess(alert: Alert): Alert {
  const resolvedConcerns = alert.concerns.filter((concern) => !isOpen(concern));
  const excess = new Set(resolvedConcerns.slice(0, -maxResolvedConcerns).filter((concern) => !hasMessage(concern)));
  return excess.size === 0 ? alert : { ...alert, concerns: alert.concerns.filter((concern) => !excess.has(concern)) };
}

/** Updates the alert of another machine's session with the states that the machine reported. */
export function noteStates(alert: Alert, states: readonly RelayedState[]): Alert {
  const changed = changeOpen(alert, (concern) => {
    const reported = states.findLast(({ id }) => id === concern.id);
    if (!reported) return concern;
    const atMs = Math.max(reported.atMs, concern.atMs);
    return reported.state === "noticed" ? acknowledged(concern, atMs) : resolved(concern, reported.by ?? "seen", atMs);
  });
  const promptedAtMs = Math.max(0, ...states.filter(({ by }) => by === "prompt").map(({ atMs }) => atMs));
  if (promptedAtMs <= changed.lastAtMs) return changed;
  return { ...changed, promptedAtMs, lastAtMs: promptedAtMs, lastEvent: promptEvent };
}
