import { agentNamed } from "../agents/registry.ts";
import { findAskedCalls } from "../attention/alert.ts";
import { resolvedByCalls } from "../attention/note-event.ts";
import { isVagueRequest, readCallId } from "../core/agent.ts";
import { hasWorkedSince, lacksAnswer, type RunningTask } from "../core/facts.ts";
import { asText } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { endsWithQuestion } from "../text/summary.ts";
import type { Circumstances, KnownEvent } from "./judge.ts";
import type { RecentEvent } from "./recent-events.ts";

/** Reasons for postponing an event, as the journal shows them. */
export const postponeReasons = [
  "the agent may try again",
  "the agent may decide it on its own",
  "the agent may notify you itself",
  "the transcript is late",
  "it may be the end of a sub-agent's turn",
  "background tasks are still running",
  "the transcript may say who typed it",
] as const;
export type PostponeReason = (typeof postponeReasons)[number];

/** Decision to judge an event again later, with the reason for waiting. */
export interface Postponement {
  /** Time when the event is judged again, Unix milliseconds. */
  readonly untilMs: number;
  readonly reason: PostponeReason;
}

/** Inputs for deciding if it is too early to notify. */
interface JudgedEvent extends KnownEvent, Omit<Circumstances, "events"> {
  /** Events of the same session that arrived after this event. */
  readonly later: readonly RecentEvent[];
}

/** Changes to a judged event: a wait, a reason to skip it, or facts; empty if it needs none. */
type Change = Partial<KnownEvent>;

/** Longest wait for an agent to retry or for a background command to end: one minute. */
const maxTaskWaitMs = 60_000;
/** Longest wait for a sub-agent to end: half an hour. */
const maxSubAgentWaitMs = 30 * 60_000;
/** Time until an event is judged for the second time: 2 s. Each later wait is as long as the time since the event. */
const firstPollMs = 2_000;
/** Longest time between two times that an event is judged: 15 s. */
const maxPollMs = 15_000;
/** Longest wait for the agent's own notice of a request: 8 s. Claude Code sends it after 6 s without a key. */
const maxNoticeWaitMs = 8_000;
/** Longest wait for a late transcript: 10 s. */
export const maxTranscriptWaitMs = 10_000;
/**
 * Time for which an event is still postponed after the session's end, because an agent may end its session just before
 * its last turn: 3 s.
 */
const sessionEndGraceMs = 3_000;
/** Longest time between a sub-agent's Stop and its SubagentStop: 3 s. Must be longer than `repeatWindowMs`. */
const maxSubAgentStopGapMs = 3_000;

/**
 * Postpones an event if a later event of its session may make it pointless. This concerns failures after which the
 * agent may retry, turns that may be a sub-agent's or that leave tasks running, and requests that the agent may decide
 * alone. The user is then notified of the later event or, after the wait, of this event.
 */
export function postpone(judged: JudgedEvent): Change {
  const { event } = judged;
  if (event.kind === "failed") return agentNamed(event.agent)?.mayRetry?.(event) ? failureVerdict(judged) : {};
  if (event.kind === "needs-you") return requestVerdict(judged);
  if (event.event !== "Stop" || event.kind !== "finished") return {};
  return subAgentVerdict(judged) ?? finishVerdict(judged);
}

function failureVerdict(judged: JudgedEvent): Change {
  const { event, facts, later } = judged;
  if (later.some((other) => other.event === promptEvent && !other.skipped)) {
    return { event: { ...event, skip: "you went on with another prompt" } };
  }
  if (facts.turnOutcome === "failed") return {};
  if (hasContinued(judged)) return { event: { ...event, skip: "the agent tried again, and went on" } };
  return isTimeUp(judged, maxTaskWaitMs) ? {} : { wait: nextPoll(judged, maxTaskWaitMs, "the agent may try again") };
}

/** Judges a request that the agent may decide alone, or whose details the transcript shows only later. */
function requestVerdict(judged: JudgedEvent): Change {
  const { event, facts, later, postponedFor, nowMs } = judged;
  const agent = agentNamed(event.agent);
  const callId = readCallId(event.extra);
  const hasResult = postponedFor !== undefined && resolvedByCalls(findAskedCalls(event, facts), facts) !== undefined;
  if (hasResult || (callId !== undefined && later.some(({ answers }) => answers === callId))) {
    return { event: { ...event, skip: "it was answered at once" } };
  }
  const notified = noticeVerdict(judged);
  if (notified) return notified;
  const decisionMs = agent?.autoDecisionMs?.(event);
  if (decisionMs !== undefined) return decisionVerdict(judged, event.atMs + decisionMs);
  const isUnnamed = agent?.transcript?.isLate && isVagueRequest(event, agent) && facts.work?.requests.length === 0;
  if (!isUnnamed || nowMs - event.atMs >= firstPollMs) return {};
  return { wait: nextPoll(judged, firstPollMs, "the transcript is late") };
}

/** Types of the agent's own notices of an open permission request. */
const ownNotice = /^(?:worker_)?permission_prompt$|^agent_needs_input$/;

/**
 * Judges a permission request of a session at a terminal, where the agent itself notifies of what stays unanswered: its
 * notice is sent, or after some seconds without one the request. Undefined for other requests.
 */
function noticeVerdict(judged: JudgedEvent): Change | undefined {
  const { event, facts, later, nowMs, isHeld, judgesLate } = judged;
  const { permissionHook } = agentNamed(event.agent) ?? {};
  const isAsking = typeof permissionHook === "object" && permissionHook.event === event.nativeEvent;
  if (!isAsking || facts.work?.origin !== "terminal" || isHeld || !judgesLate) return undefined;
  const counted = later.filter(({ skipped }) => !skipped);
  const skip = (reason: string): Change => ({ event: { ...event, skip: reason } });
  if (counted.some(({ type = "" }) => ownNotice.test(type))) return skip("the agent's own notice of it follows");
  const isEnded = counted.some((other) => [promptEvent, "Stop", "SessionEnd"].includes(other.event));
  if (isEnded || resolvedByCalls(findAskedCalls(event, facts), facts)) return skip("it was answered at once");
  const untilMs = event.atMs + maxNoticeWaitMs;
  const reason = "the agent may notify you itself";
  // A request that waits must not make the notice an echo.
  if (nowMs < untilMs) return { wait: { untilMs, reason }, remembered: { ...event, skip: reason } };
  return wasAnsweredByKey(judged)
    ? skip("a key was pressed at its terminal, and the agent's own notice has not come")
    : {};
}

/** True if a key was pressed since a request, for no other call: only one is open, and none has got its result since. */
function wasAnsweredByKey({ event: { atMs }, facts: { work, openCalls = [] }, typedAtMs = 0 }: JudgedEvent): boolean {
  const isForOther = work?.calls.some(({ answeredAtMs = 0 }) => answeredAtMs >= typedAtMs);
  return typedAtMs > atMs && openCalls.length <= 1 && !isForOther;
}

function decisionVerdict({ event, facts, later, nowMs }: JudgedEvent, untilMs: number): Change {
  const asking = asText(event.extra.agent_id);
  const isEnd = ({ event, subAgent = asking }: RecentEvent) => event === "SubagentStop" && subAgent === asking;
  if (asking !== undefined && later.some(isEnd)) {
    return { event: { ...event, skip: "the sub-agent that asked has ended" } };
  }
  if (nowMs < untilMs) return { wait: { untilMs, reason: "the agent may decide it on its own" } };
  return facts.work?.isDecided ? { event: { ...event, skip: "the agent decided it on its own" } } : {};
}

/** Judges a Stop that may be the end of a sub-agent's turn; undefined if it cannot be. */
function subAgentVerdict(judged: JudgedEvent): Change | undefined {
  const { event, facts, later, nowMs, postponedFor } = judged;
  const mayBeSubAgent = agentNamed(event.agent)?.stopsForSubAgents && facts.work !== undefined;
  if (!mayBeSubAgent || postponedFor === "background tasks are still running") return undefined;
  const untilMs = event.atMs + maxSubAgentStopGapMs;
  const isOpen = facts.turnOutcome === undefined;
  const reason = "it may be the end of a sub-agent's turn";
  if (isOpen && nowMs < untilMs) return { wait: { untilMs, reason } };
  const isFollowed = later.some((other) => other.event === "SubagentStop" && other.atMs < untilMs);
  if (!isOpen || !isFollowed) return undefined;
  // Without a later line, the transcript may only be late.
  const hasLaterLine =
    hasContinued(judged) || facts.work?.calls.some(({ answeredAtMs = 0 }) => answeredAtMs >= event.atMs);
  if (!hasLaterLine && !isTimeUp(judged, maxTranscriptWaitMs))
    return { wait: nextPoll(judged, maxTranscriptWaitMs, reason) };
  return hasLaterLine || facts.openCalls ? { event: { ...event, skip: "the end of a sub-agent's turn" } } : undefined;
}

function finishVerdict(judged: JudgedEvent): Change {
  const { event, facts, later, postponedFor, nowMs, judgesLate } = judged;
  const wentOn: Change = { event: { ...event, skip: "the session went on" } };
  // A later Stop of the same turn notifies the user, unless it counted as a repeat of this Stop.
  const isReported = later.some((other) => other.event === "Stop" && !other.skipped);
  if (postponedFor !== undefined && isReported) return wentOn;
  // Further replies to mates are not sent, so the first one stays.
  const isHandledLate = postponedFor === undefined && judgesLate && nowMs - event.atMs >= maxTranscriptWaitMs;
  if (isHandledLate && !facts.work?.isReplyToMate && hasContinued(judged)) return wentOn;
  const wasRunning = postponedFor === "background tasks are still running";
  if (!wasRunning && isAnswerMissing(judged) && !isTimeUp(judged, maxTranscriptWaitMs)) {
    return { wait: nextPoll(judged, maxTranscriptWaitMs, "the transcript is late") };
  }
  const running = runningTasks(judged);
  const names = running.map(({ name, of }) => (name === undefined ? of : `\`${name}\``));
  const named = { facts: { ...facts, ...omitUndefined({ stillRuns: names.join(", ") || undefined }) } };
  const isLasting = ({ of, name = "" }: RunningTask) =>
    of === "shell" && lastingCommands.some((command) => command.test(name));
  if (running.every(isLasting) && !wasRunning) return named;
  if (endsWithQuestion(event.lastMessage ?? facts.lastMessage ?? "")) return named;
  if (wasRunning && hasContinued(judged)) return wentOn;
  const endsMs = later.flatMap((other) => (other.event === "SubagentStop" ? other.atMs - event.atMs : []));
  // The agent may still respond to a sub-agent that has ended.
  const maxEndedMs = maxTaskWaitMs + Math.max(0, ...endsMs);
  const maxMs = running.some((task) => task.of === "agent") ? maxSubAgentWaitMs : maxEndedMs;
  if (isTimeUp(judged, maxMs)) return named;
  return { wait: nextPoll(judged, maxMs, "background tasks are still running") };
}

/** Commands of servers and watchers, which run until they are stopped. */
const lastingCommands = [
  /\b(?:npm|pnpm|yarn|bun|deno|make|just)(?: run| task)? (?:[\w-]+:)*(?:dev|preview|serve|start|watch)(?::\w+)*(?![\w-])/,
  /\b(?:astro|expo|flask|hugo|next|ng|nuxt|rails|vite|webpack|wrangler) (?:dev|run|s|serve|server|start)\b|\bvite *$/,
  /\b(?:gunicorn|http-server|http\.server|nodemon|runserver|uvicorn)\b|\btail -\w*f|--watch(?:All)?\b|\bwatch -/i,
  /\b(?:node|python3?) \S*server\.\w+|\bdocker[ -]compose up(?!.* (?:-d|--detach)\b)/,
];

/** True if a transcript that is written late still lacks the turn's answer, and perhaps tasks of the turn. */
function isAnswerMissing({ event, facts: { work } }: JudgedEvent): boolean {
  const mayBeLate = work !== undefined && agentNamed(event.agent)?.transcript?.isLate === true;
  return mayBeLate && event.lastMessage !== undefined && lacksAnswer(event.atMs, work);
}

/**
 * Lists the tasks of this turn that are still running, from the transcript and, when the event is judged for the first
 * time, from the payload.
 */
function runningTasks({ event, facts, later, postponedFor }: JudgedEvent): readonly RunningTask[] {
  const read = facts.work?.running ?? [];
  if (postponedFor === "background tasks are still running") {
    const ended = later.flatMap((other) => (other.event === "SubagentStop" ? other.subAgent : []));
    // The agent may not record the end of a sub-agent that the user stopped.
    return read.filter(({ id }) => !ended.includes(id));
  }
  const listed = agentNamed(event.agent)?.runningTasks?.(event.extra) ?? [];
  // Only commands that this turn started count, because a server may run for days. The payload does not say which turn
  // started a command. A transcript without the turn's answer is behind.
  const isCurrent = facts.work?.hasSpoken === true;
  const isKnown = (task: RunningTask) => read.some(({ id }) => id === task.id);
  return [...read, ...listed.filter((task) => !isKnown(task) && (task.of === "agent" || !isCurrent))];
}

/** True if a later Stop notifies the user instead, or if the transcript shows work after the event. */
function hasContinued({ event: { atMs }, facts: { work }, later }: JudgedEvent): boolean {
  return later.some((other) => other.event === "Stop" && !other.skipped) || (work ? hasWorkedSince(atMs, work) : false);
}

function isTimeUp({ event, later, nowMs }: JudgedEvent, maxMs: number): boolean {
  const hasEnded = later.some((other) => other.event === "SessionEnd" && nowMs - other.atMs >= sessionEndGraceMs);
  return hasEnded || nowMs - event.atMs >= maxMs;
}

function nextPoll({ event: { atMs }, nowMs }: JudgedEvent, maxMs: number, reason: PostponeReason): Postponement {
  const pollMs = Math.min(Math.max(firstPollMs, nowMs - atMs), maxPollMs);
  return { untilMs: Math.min(nowMs + pollMs, atMs + maxMs), reason };
}
