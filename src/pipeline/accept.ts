import { agentNamed } from "../agents/registry.ts";
import { type Alert, type Concern, isOpen, isResolvedByUser } from "../attention/alert.ts";
import { mateReplyReason } from "../attention/note-event.ts";
import { threadKey } from "../attention/session-keys.ts";
import { isSampleSession } from "../attention/session-memory.ts";
import { describeEvent } from "../attention/sessions.ts";
import { readAudience } from "../config/config.ts";
import { isRuleFor, isVagueRequest } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import { type FoundFacts, hasWorkedSince, type TokenUsage } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { promptEvent, silentEvents } from "../core/vocabulary.ts";
import { identifyEvent, isUnrouted, type JournalLine, unroutedReason } from "../journal/journal-line.ts";
import { mask } from "../text/mask/mask.ts";
import { findConcern, noteInAlert, noteTooEarly } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import { explainClosing, isFurtherReplyToMate, judge, judgePrompt, type KnownEvent } from "./judge.ts";
import { findNextRun, isInsideRunningAgent, lookUp, settleProject } from "./look-up.ts";
import { noteUsageLimits, reportBusyMachine } from "./notices.ts";
import type { Postponement, PostponeReason } from "./postpone.ts";
import { ringsPerMinute } from "./recent-events.ts";
import { type RouteResult, route, type Step } from "./route.ts";
import type { Delivery, RunState } from "./run-state.ts";

/** Results of earlier judgements of the same event. */
export interface EarlierJudgements {
  /** Reason why the event was last postponed; undefined if it never was. */
  readonly postponedFor: PostponeReason | undefined;
  /** Journal lines of the event, if a worker died while processing it; else empty. */
  readonly journalled: readonly JournalLine[];
}

/**
 * Accepts an event: looks up its session and judges it, unless another machine has done that, adds it to its session's
 * alert, journals it, and plans its deliveries. A prompt is journalled only once its author is known.
 * @returns the event's first state; undefined without deliveries; a postponement if the event must be judged again
 */
export async function accept(
  read: KnownEvent,
  { postponedFor, journalled }: EarlierJudgements,
  context: RunContext,
): Promise<RunState | Postponement | undefined> {
  const isJudged = read.event.isRelayed || read.event.limit !== undefined;
  const judged = isJudged ? read : await lookUpAndJudge(read.event, postponedFor, context);
  const { event, facts, wait } = judged;
  const alert = wait ? noteTooEarly(event, context) : noteInAlert(event, facts, context);
  const known = { ...judged, facts: withTurnLength(event, facts, alert) };
  const routed = event.skip ? { steps: [] } : route(event, context.config, known.facts);
  const wasJournalled = postponedFor !== undefined && event.event !== promptEvent;
  const isNew = !wasJournalled && !journalled.some(({ status }) => status === "accepted");
  const isTooEarly = wait !== undefined && silentEvents.includes(event.event);
  if (isNew && !isTooEarly) context.journal.write(describe(known, routed));
  return wait ?? plan(read.event, known, routed, context);
}

/**
 * Runs the lookups for an event, judges the event by the facts and the session's other events, and adds it to the
 * session's events.
 */
async function lookUpAndJudge(
  parsed: AgentEvent,
  postponedFor: PostponeReason | undefined,
  context: RunContext,
): Promise<KnownEvent> {
  const { recent, ports } = context;
  const nowMs = ports.clock.now();
  if (parsed.event === promptEvent) {
    const judged = await judgePrompt(await settleProject(parsed, {}, context), context);
    recent.add(judged.event, {});
    return judged;
  }
  const isLookedUp = !parsed.skip && !silentEvents.includes(parsed.event);
  const { facts: found, problems } = isLookedUp ? await lookUp(parsed, context) : { facts: {}, problems: [] };
  noteUsageLimits(parsed, found, context);
  const nextRun = parsed.skip ? undefined : await findNextRun(parsed, nowMs);
  const facts = { ...found, ...omitUndefined({ nextRun }) };
  const placed = await settleProject(parsed, facts, context);
  const judged = judge(placed, facts, {
    events: recent.listSession(parsed),
    nowMs: ports.clock.now(),
    postponedFor,
    isHeld: context.answers?.isHeld(parsed.id),
    judgesLate: context.config.attention.judgeLate,
    typedAtMs: ports.presence.typedAtMs(parsed.processes ?? []),
  });
  const event = explainClosing(judged.event, context);
  const { remembered = event } = judged;
  const withholdReason = event.skip === undefined ? await findWithholdReason(parsed, facts, context) : undefined;
  if (withholdReason) return { ...judged, event: { ...event, skip: withholdReason }, problems };
  if (postponedFor) recent.replace(remembered, facts);
  else recent.add(remembered, facts);
  return { ...judged, event, problems };
}

/**
 * Finds a reason not to send an event: it belongs to a request that waits for an answer, comes from a run inside
 * another agent's run, ends a further reply to another agent, or says that the agent idles after a turn whose end is
 * known. Undefined if none of these applies.
 */
async function findWithholdReason(
  event: AgentEvent,
  facts: FoundFacts,
  context: RunContext,
): Promise<string | undefined> {
  if (isVagueRequest(event, agentNamed(event.agent)) && context.answers?.isAwaited(event, context))
    return "part of the request that waits for your answer";
  if (!context.config.attention.judgeLate) return undefined;
  if (isInsideRunningAgent(event, facts)) return "a run inside another agent's run";
  if (isKnownDialog(event, context)) return "the same request under another name";
  if (isFurtherReplyToMate(event, facts, context)) return mateReplyReason;
  return isIdleNotice(event) ? explainIdle(event, facts, context) : undefined;
}

function isIdleNotice(event: AgentEvent): boolean {
  return agentNamed(event.agent)?.echoes?.some((rule) => rule.isIdle && isRuleFor(rule, event)) === true;
}

/** Longest time from the last sign of a turn to its first idle notice: an hour. Later ones come from a resumed session. */
const maxIdleMs = 3_600_000;

/**
 * Explains why an idle notice needs no message: the session has begun no turn, or the user was notified of the turn's
 * end or by an earlier notice, will be, or needs no message about it, as after Esc. Undefined if the notice must be sent.
 */
async function explainIdle(event: AgentEvent, facts: FoundFacts, context: RunContext): Promise<string | undefined> {
  const { work, turnOutcome } = facts;
  const alert: Partial<Alert> = context.alerts.get(threadKey(event)) ?? {};
  const { turnEnd, promptedAtMs = 0, concerns = [] } = alert;
  const startedAtMs = Math.max(promptedAtMs, work?.startedAtMs ?? 0);
  const workedAtMs = Math.max(startedAtMs, work?.saidAtMs ?? 0, work?.calls.at(-1)?.atMs ?? 0);
  const { transcriptPath } = event;
  const isRead =
    work !== undefined ||
    (transcriptPath !== undefined && (await context.ports.files.sizeBytes(transcriptPath)) === undefined);
  const isResumed = alert.lastEvent === "SessionEnd" && workedAtMs <= (alert.lastAtMs ?? 0);
  const isUnknown = promptedAtMs === 0 && turnEnd === undefined && event.atMs - workedAtMs > maxIdleMs;
  if (isResumed || (isUnknown && isRead)) return "no turn has begun in this session";
  const isOfTurn = ({ atMs, turnId }: { readonly atMs: number; readonly turnId?: string | undefined }) =>
    event.turnId !== undefined && turnId !== undefined
      ? turnId === event.turnId
      : atMs >= startedAtMs && !(work && hasWorkedSince(atMs, work));
  if (turnEnd && isOfTurn(turnEnd) && isSettled(turnEnd.id, event, context)) return "an echo of its turn's end";
  const isKnown = ({ id, atMs, event: { turnId } }: Concern) =>
    isOfTurn({ atMs, turnId }) && isSettled(id, event, context);
  const notices = concerns.filter((concern) => concern.id !== event.id && isIdleNotice(concern.event));
  if (notices.some(isKnown)) return "an echo of the idle notice before it";
  const isInterrupted = turnOutcome === "interrupted" && (work?.saidAtMs ?? 0) >= promptedAtMs;
  return isInterrupted ? "the user interrupted the turn" : undefined;
}

/** Statuses of a message that was sent or will be, or that a rule withheld from the user. */
const settledStatuses: readonly string[] = ["sent", "held", "updated", "withdrawn", "skipped"];

/**
 * True if the user was notified of an event, will be, or needs no message by a rule about the user. If the notice itself
 * concerns only programs and teams, messages to these count.
 */
function isSettled(id: string, notice: AgentEvent, context: RunContext): boolean {
  const { config, journal } = context;
  const isPersons = (name = "") => {
    const configured = config.notifiers.get(name);
    return configured && (readAudience(configured) === "person" || configured.notifier.relays === true);
  };
  const reaches = (event: AgentEvent) => route(event, config).steps.some(({ notifier }) => isPersons(notifier));
  const hasPerson = reaches(notice);
  const lines = journal.readLines(id);
  const counted = lines.filter(({ notifier }) => notifier !== undefined && (!hasPerson || isPersons(notifier)));
  const newest = new Map(counted.map((line) => [`${line.notifier}#${line.step}`, line]));
  if (newest.size > 0) {
    return [...newest.values()].some(
      ({ status, reason = "" }) => settledStatuses.includes(status) && !/^(?:unsupported|a later step)/.test(reason),
    );
  }
  const own = lines.filter(({ notifier }) => notifier === undefined);
  const skipped = own.find(({ status }) => status === "skipped");
  if (skipped && !isUnrouted(skipped.reason)) return true;
  const isPending = own.length > 0 && own.length === lines.length && !skipped;
  // Without a turn's length, a route's `minTurn` does not count: only that condition withheld the end.
  const concern = findConcern({ ...notice, id }, context);
  return isPending || (concern !== undefined && reaches(concern.event));
}

/** True for the notification of an MCP server's dialog whose opening event already asked the user. */
function isKnownDialog({ dialog, ...event }: AgentEvent, { alerts }: RunContext): boolean {
  if (!dialog || dialog.isAnswered || dialog.server !== undefined) return false;
  const { concerns = [] } = alerts.get(threadKey(event)) ?? {};
  const isWaiting = (concern: Concern) => isOpen(concern) || isResolvedByUser(concern);
  return concerns.some((concern) => concern.event.dialog?.server !== undefined && isWaiting(concern));
}

/** Adds the turn's length to the facts: from the event, else from a lookup, else since the event of the turn's prompt. */
function withTurnLength(event: AgentEvent, facts: FoundFacts, alert: Alert | undefined): FoundFacts {
  if (event.turnMs !== undefined) return { ...facts, turnMs: event.turnMs };
  const sinceMs = alert?.promptedAtMs;
  if (event.event !== "Stop" || facts.turnMs !== undefined || sinceMs === undefined || sinceMs > event.atMs)
    return facts;
  return { ...facts, turnMs: Math.round(event.atMs - sinceMs) };
}

/** Builds the journal line of an accepted event. Masks texts that look secret, because journal lines are kept long. */
function describe({ event, facts, problems = [], wait }: KnownEvent, routed: RouteResult): Omit<JournalLine, "at"> {
  const isSilent = silentEvents.includes(event.event);
  const remark = wait?.reason ?? routed.note ?? (isSilent ? event.skip : undefined);
  const { title, turnMs, tokens } = facts;
  const asked = event.event === "Notification" ? event.message : undefined;
  const summary = isSilent ? "" : describeEvent(event, facts, asked);
  return {
    ...identifyEvent(event),
    status: "accepted",
    ...omitUndefined({
      receivedAt: event.isRelayed ? undefined : new Date(event.atMs).toISOString(),
      title: title && mask(title),
      summary: summary || undefined,
      turnMs,
      ...readUsage(tokens),
      reason: [...problems, ...(remark ? [remark] : [])].join("; ") || undefined,
    }),
  };
}

/** Returns the session's total tokens, and its credits; an empty object if the counts are partial. */
function readUsage(usage: TokenUsage = {}): Pick<JournalLine, "tokens" | "credits"> {
  const { input = 0, output = 0, cacheWrite = 0, credits, partial } = usage;
  if (partial) return {};
  return omitUndefined({ tokens: Math.round(input + output + cacheWrite) || undefined, credits });
}

/**
 * Plans the deliveries of an accepted event. Returns undefined if there are none, and journals the reason, except for
 * events that never notify anybody.
 * @param parsed the event before it was judged
 */
async function plan(
  parsed: AgentEvent,
  { event, facts }: KnownEvent,
  routed: RouteResult,
  context: RunContext,
): Promise<RunState | undefined> {
  const steps = await limitPeer(event, routed.steps, context);
  const { judgeLate } = context.config.attention;
  const isEarly = judgeLate && event.dialog?.server !== undefined && facts.work?.origin === "terminal";
  if (steps.length > 0) {
    const state = startState(parsed, event, facts, steps);
    for (const [key, { notifier = key, step = 0 }] of steps.map(openDelivery)) {
      const reason = "a later step needs a session that you watch";
      const line = { ...identifyEvent(event), notifier, step, status: "skipped", reason } as const;
      if (!Object.hasOwn(state.deliveries, key)) context.journal.write(line);
    }
    return isEarly ? { ...state, minWaitMs: dialogWaitMs } : state;
  }
  if (routed.steps.length === 0 && !silentEvents.includes(event.event)) {
    const reason = event.skip ?? routed.note ?? unroutedReason;
    context.journal.write({ ...identifyEvent(event), status: "skipped", reason });
  }
  return undefined;
}

/**
 * Time that the user has to answer the dialog of an MCP server in the terminal: 8 s, in which the agent's own
 * notification comes too.
 */
const dialogWaitMs = 8_000;

/** Builds the first state of an event, with one open delivery for each planned message. */
function startState(parsed: AgentEvent, event: AgentEvent, facts: FoundFacts, steps: readonly Step[]): RunState {
  const { work, readTo: _, ...shown } = facts;
  const isAwaited = event.isAwaited || isSampleSession(event.sessionId);
  // A request means that somebody can answer, even if a program started the session.
  const isUnattended = isAwaited === true || (work?.origin === "program" && event.kind !== "needs-you");
  // Later steps are for people who did not see the first message. The first may itself come later.
  const firstMs = isAwaited ? 0 : Math.min(...steps.map(({ afterMs }) => afterMs));
  const due = isUnattended ? steps.filter(({ afterMs }) => afterMs === firstMs) : steps;
  const { atMs, kind, projectDir, otherPaths } = event;
  const { message, brief } = event.message === parsed.message ? {} : event;
  const project = event.project === parsed.project ? undefined : event.project;
  return {
    atMs,
    freshAtMs: atMs,
    kind,
    ...omitUndefined({ message, brief, project, projectDir, otherPaths, isUnattended: isUnattended || undefined }),
    facts: shown,
    deliveries: Object.fromEntries(due.map(openDelivery)),
  };
}

/** Creates the delivery for a planned message, with its key in `RunState.deliveries`. */
export function openDelivery({ notifier, number, afterMs, when }: Step): [key: string, delivery: Delivery] {
  const fresh = { status: "open", attempts: 0, isUndecided: true, ...omitUndefined({ when }) } as const;
  if (number === 0) return [notifier, fresh];
  return [`${notifier}#${number}`, { ...fresh, notifier, step: number, afterMs }];
}

/**
 * Drops an event's messages to people if the event is from another machine that notifies too often. Programs get every
 * event. Journals each dropped message, and sends the user at most one notice a minute.
 */
async function limitPeer(event: AgentEvent, steps: readonly Step[], context: RunContext): Promise<readonly Step[]> {
  const { host } = event;
  const callsPerson = ({ notifier }: Step): boolean => {
    const configured = context.config.notifiers.get(notifier);
    return configured !== undefined && readAudience(configured) === "person";
  };
  const calling = new Set(steps.filter(callsPerson).map(({ notifier }) => notifier));
  if (!event.isRelayed || host === undefined || calling.size === 0) return steps;
  const verdict = context.peerRings.count(host, context.ports.clock.uptimeMs());
  if (verdict === "call") return steps;
  const reason = `${host} calls more than ${ringsPerMinute} times a minute`;
  for (const notifier of calling)
    context.journal.write({ ...identifyEvent(event), notifier, status: "skipped", reason });
  if (verdict === "first") await reportBusyMachine(host, event.atMs, context);
  return steps.filter((step) => !callsPerson(step));
}
