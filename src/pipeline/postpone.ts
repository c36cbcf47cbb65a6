import { agentNamed } from "../agents/registry.ts";
import { isVagueRequest } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import { type FoundFacts, hasWorkedSince, lacksAnswer, type RunningTask } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { RecentEvent } from "./recent-events.ts";

/** What an event waits for, in the journal's words. */
export const postponeReasons = [
  "the agent may try again",
  "the agent may decide it on its own",
  "the transcript is late",
  "it may be the end of a sub-agent's turn",
  "background tasks are still running",
  "the transcript may say who typed it",
] as const;
export type PostponeReason = (typeof postponeReasons)[number];

/** When an event is to be judged again, and what it waits for. */
export interface Postponement {
  /** Unix milliseconds. */
  readonly untilMs: number;
  readonly reason: PostponeReason;
}

/** What decides whether it is too early to tell a person of an event. */
interface JudgedEvent {
  readonly event: AgentEvent;
  readonly facts: FoundFacts;
  /** Events of the session that came in after it. */
  readonly later: readonly RecentEvent[];
  /** What it was put off for last; undefined where it is judged for the first time. */
  readonly waitedFor: PostponeReason | undefined;
  readonly nowMs: number;
}

/** What is different by it; nothing where the event is to be told as it is. */
interface Verdict {
  readonly wait?: Postponement;
  /** The event, with a reason to skip it. */
  readonly event?: AgentEvent;
  readonly facts?: FoundFacts;
}

/** Longest wait for an agent to try again, and for a command in the background. */
const shortMs = 60_000;
/** Longest wait for a sub-agent: half an hour. */
const longMs = 30 * 60_000;
/** The first look is after two seconds, each further one after as long again, and after 15 seconds at most. */
const firstLookMs = 2_000;
const lastLookMs = 15_000;
/** Longest wait for a late transcript. */
const lateMs = 10_000;
/** An agent may end its session just before its last turn. */
const sessionEndMs = 3_000;
/** How soon a sub-agent's Stop is followed by its SubagentStop; longer than an event counts as a repeat of another. */
const subAgentMs = 3_000;

/**
 * Puts off an event that the session may still overtake: a failure that the agent may mend, the end of a turn that may
 * be a sub-agent's or whose sub-agents or commands still run, a request that nobody may be asked. What it comes to is
 * told by a later event, or by this one when its time is up.
 */
export function postpone(judged: JudgedEvent): Verdict {
  const { event } = judged;
  if (event.kind === "failed") return agentNamed(event.agent)?.mayRetry?.(event) ? failureVerdict(judged) : {};
  if (event.kind === "needs-you") return requestVerdict(judged);
  if (event.event !== "Stop" || event.kind !== "finished") return {};
  return subAgentVerdict(judged) ?? finishVerdict(judged);
}

function failureVerdict(judged: JudgedEvent): Verdict {
  const { event, facts } = judged;
  if (facts.turnOutcome === "failed") return {};
  if (hasGoneOn(judged)) return { event: { ...event, skip: "the agent tried again, and went on" } };
  return isOver(judged, shortMs) ? {} : { wait: nextLook(judged, shortMs, "the agent may try again") };
}

/** A request that the agent may decide on its own, or one of which only a late transcript says what it asks for. */
function requestVerdict(judged: JudgedEvent): Verdict {
  const { event, facts, nowMs } = judged;
  const agent = agentNamed(event.agent);
  const decisionMs = agent?.autoDecisionMs?.(event);
  if (decisionMs !== undefined) return decisionVerdict(judged, event.atMs + decisionMs);
  const isUnnamed = agent?.transcript?.isLate && isVagueRequest(event, agent) && facts.work?.requests.length === 0;
  if (!isUnnamed || nowMs - event.atMs >= firstLookMs) return {};
  return { wait: nextLook(judged, firstLookMs, "the transcript is late") };
}

function decisionVerdict({ event, facts, later, nowMs }: JudgedEvent, untilMs: number): Verdict {
  const isSubAgents = typeof event.extra.agent_id === "string";
  if (isSubAgents && later.some((one) => one.event === "SubagentStop")) {
    return { event: { ...event, skip: "the sub-agent that asked has ended" } };
  }
  if (nowMs < untilMs) return { wait: { untilMs, reason: "the agent may decide it on its own" } };
  return facts.work?.isDecided ? { event: { ...event, skip: "the agent decided it on its own" } } : {};
}

/** A Stop in the middle of the session's own turn: undefined unless it is, or may be, a sub-agent's. */
function subAgentVerdict({ event, facts, later, nowMs, waitedFor }: JudgedEvent): Verdict | undefined {
  const mayBe = agentNamed(event.agent)?.stopsForSubAgents && facts.work !== undefined;
  if (!mayBe || waitedFor === "background tasks are still running") return undefined;
  const untilMs = event.atMs + subAgentMs;
  const isOpen = facts.turnOutcome === undefined;
  if (isOpen && nowMs < untilMs) return { wait: { untilMs, reason: "it may be the end of a sub-agent's turn" } };
  const isFollowed = later.some((one) => one.event === "SubagentStop" && one.atMs < untilMs);
  return isOpen && isFollowed ? { event: { ...event, skip: "the end of a sub-agent's turn" } } : undefined;
}

function finishVerdict(judged: JudgedEvent): Verdict {
  const { event, facts, later, waitedFor } = judged;
  // Its turn's own Stop tells it, unless that counted as a repeat of this one.
  const isTold = later.some((one) => one.event === "Stop" && !one.skipped);
  if (waitedFor !== undefined && isTold) return { event: { ...event, skip: "the session went on" } };
  const isAgain = waitedFor === "background tasks are still running";
  if (!isAgain && isAnswerMissing(judged) && !isOver(judged, lateMs)) {
    return { wait: nextLook(judged, lateMs, "the transcript is late") };
  }
  const running = runningTasks(judged);
  if (running.length === 0 && !isAgain) return {};
  if (isAgain && hasGoneOn(judged)) return { event: { ...event, skip: "the session went on" } };
  const maxMs = running.some((task) => task.of === "agent") ? longMs : shortMs + lastEndMs(judged);
  if (isOver(judged, maxMs)) return { facts: { ...facts, ...omitUndefined({ stillRuns: namesOf(running) }) } };
  return { wait: nextLook(judged, maxMs, "background tasks are still running") };
}

/** Returns true if a transcript that may be late lacks the turn's answer, and perhaps what the turn has started. */
function isAnswerMissing({ event, facts: { work } }: JudgedEvent): boolean {
  const mayBeLate = work !== undefined && agentNamed(event.agent)?.transcript?.isLate === true;
  return mayBeLate && event.lastMessage !== undefined && lacksAnswer(event.atMs, work);
}

/** How long after the turn its last sub-agent has ended, if one has: the agent may be about to answer it. */
function lastEndMs({ event, later }: JudgedEvent): number {
  return Math.max(0, ...later.map((one) => (one.event === "SubagentStop" ? one.atMs - event.atMs : 0)));
}

/** Tasks this turn started that still run: by the payload at first, by the transcript if there is one. */
function runningTasks({ event, facts, waitedFor }: JudgedEvent): readonly RunningTask[] {
  const read = facts.work?.running ?? [];
  const isAgain = waitedFor === "background tasks are still running";
  const listed = isAgain ? [] : (agentNamed(event.agent)?.runningTasks?.(event.extra) ?? []);
  // Of commands only those count that the turn itself started: a server may run for days. The payload does not say so,
  // and a transcript without the turn's answer is behind.
  const isCurrent = facts.work?.hasSpoken === true;
  const isKnown = (task: RunningTask) => read.some(({ id }) => id === task.id);
  return [...read, ...listed.filter((task) => !isKnown(task) && (task.of === "agent" || !isCurrent))];
}

function namesOf(tasks: readonly RunningTask[]): string | undefined {
  return tasks.map(({ name, of }) => (name === undefined ? of : `\`${name}\``)).join(", ") || undefined;
}

/** Whether a later event tells what came of it, or the transcript shows work after it. */
function hasGoneOn({ event: { atMs }, facts: { work }, later }: JudgedEvent): boolean {
  return later.some((one) => one.event === "Stop" && !one.skipped) || (work ? hasWorkedSince(atMs, work) : false);
}

function isOver({ event, later, nowMs }: JudgedEvent, maxMs: number): boolean {
  const hasEnded = later.some((one) => one.event === "SessionEnd" && nowMs - one.atMs >= sessionEndMs);
  return hasEnded || nowMs - event.atMs >= maxMs;
}

function nextLook({ event: { atMs }, nowMs }: JudgedEvent, maxMs: number, reason: PostponeReason): Postponement {
  const lookMs = Math.min(Math.max(firstLookMs, nowMs - atMs), lastLookMs);
  return { untilMs: Math.min(nowMs + lookMs, atMs + maxMs), reason };
}
