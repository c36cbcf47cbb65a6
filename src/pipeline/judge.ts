import { agentNamed } from "../agents/registry.ts";
import { type Concern, findAskedCalls, isOpen, resolved } from "../attention/alert.ts";
import { resolvedByCalls } from "../attention/note-event.ts";
import { threadKey } from "../attention/session-keys.ts";
import { type EchoRule, isRuleFor, isVagueRequest } from "../core/agent.ts";
import { type AgentEvent, pushType } from "../core/event.ts";
import { type FoundFacts, hasWorkedSince } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { programLikePromptReason, programPromptReason } from "../core/prompt-author.ts";
import { eventNames, promptEvent } from "../core/vocabulary.ts";
import { existsTerminal } from "../files/process-table.ts";
import { readPromptAuthor } from "../lookups/session-files.ts";
import { describeRequests } from "../text/request.ts";
import { endsWithQuestion } from "../text/summary.ts";
import { changeConcern, findConcern } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import { readOnInTime } from "./look-up.ts";
import { type Postponement, type PostponeReason, postpone } from "./postpone.ts";
import { type RecentEvent, toRecentEvent } from "./recent-events.ts";

/** Event with everything that is known about it. A step returns it with what the step found or changed. */
export interface KnownEvent {
  readonly event: AgentEvent;
  readonly facts: FoundFacts;
  /** Reasons why a lookup found nothing, or only part of the facts, one line each. */
  readonly problems?: readonly string[];
  /**
   * Event with which later events are compared, if it is not `event`. An interrupted turn's end is used too, although
   * it is not sent.
   */
  readonly remembered?: AgentEvent;
  /** Set if it is too early to decide. The event is then judged again later. */
  readonly wait?: Postponement;
}

/** Inputs for judging an event, apart from the event and its facts. */
export interface Circumstances {
  /** Recent events of the session, before and after this event. May include this event if it was judged before. */
  readonly events: readonly RecentEvent[];
  readonly nowMs: number;
  /** Reason why the event was last postponed; absent when it is judged for the first time. */
  readonly postponedFor?: PostponeReason | undefined;
  /** True while the event's hook waits for an answer. The event then repeats no other, though it may look like one. */
  readonly isHeld?: boolean | undefined;
  /** True unless the user switched `judgeLate` off. Idle notices are then judged by their turn, in `explainIdle`. */
  readonly judgesLate?: boolean;
  /** Time of the last key press at the session's terminal, Unix milliseconds. */
  readonly typedAtMs?: number | undefined;
}

/**
 * Judges an event by its facts and its session's other events, for the first time or again. Pure: the result depends
 * only on the arguments.
 */
export function judge(
  parsed: AgentEvent,
  facts: FoundFacts,
  { events, nowMs, postponedFor, isHeld, ...circumstances }: Circumstances,
): KnownEvent {
  const { id, atMs } = parsed;
  const others = events.filter((other) => other.id !== id);
  const earlier = others.filter((other) => other.atMs <= atMs);
  const classified = classify(nameRequest(parsed, facts), facts, earlier);
  const echoes = agentNamed(parsed.agent)?.echoes?.filter((rule) => !(circumstances.judgesLate && rule.isIdle)) ?? [];
  const remembered = isHeld ? classified : deduplicate(classified, facts, others, echoes);
  const event = skipByFacts(remembered, facts);
  if (event.skip !== undefined) return { event, remembered, facts };
  const later = others.filter((other) => other.atMs > atMs);
  const postponed = postpone({ event, facts, later, postponedFor, nowMs, isHeld, ...circumstances });
  return { event, remembered: postponed.event ?? remembered, facts, ...postponed };
}

/**
 * Sets a request's message to the tool calls in the transcript, if the payload does not say what it asks for. Adds the
 * server's name to its question.
 */
function nameRequest(event: AgentEvent, facts: FoundFacts): AgentEvent {
  const { dialog, message = "" } = event;
  const call = dialog && facts.work?.calls.find(({ id }) => findAskedCalls(event, facts).includes(id));
  const server = dialog?.server ?? call?.tool?.split("__")[1];
  if (server !== undefined && event.kind === "needs-you") {
    return { ...event, message: message.startsWith(`${server}:`) ? message : `${server}: ${message}` };
  }
  if (!isVagueRequest(event, agentNamed(event.agent))) return event;
  const requests = facts.work?.requests ?? [];
  return requests.length === 0 ? event : { ...event, ...describeRequests(requests, event.cwd) };
}

/** Longest time between the Stop of a headless run and its normal end: 30 s. */
const headlessEndMs = 30_000;
/**
 * Longest time after a failed turn in which the session's end still reports the failure: 90 s, which is 30 s more than
 * Codex needs to exit.
 */
const maxUnreportedFailureMs = 90_000;

const noAnswerMessage = "The model gave no answer to the last prompt";

/**
 * Sets the kind of a Stop to `failed` if lookups found that the turn failed, and the kind of a SessionEnd if the
 * session ended abnormally, or after a failure that no event has reported.
 * @param earlier events of the same session that arrived before this event
 */
export function classify(event: AgentEvent, facts: FoundFacts, earlier: readonly RecentEvent[]): AgentEvent {
  if (event.event === "Stop") return facts.turnOutcome === "failed" ? { ...event, kind: "failed" } : event;
  if (event.notificationType === pushType && isKnownAnswer(event, earlier)) return { ...event, kind: "info" };
  if (event.event !== "SessionEnd" || event.kind === "failed") return event;
  if (hasUnreportedFailure(event, facts, earlier)) {
    return { ...event, kind: "failed", message: facts.lastMessage ?? event.message ?? noAnswerMessage };
  }
  return isAbnormalEnd(event, facts, earlier) ? { ...event, kind: "failed" } : event;
}

/** True if the end of a turn had the same text as a notification. */
function isKnownAnswer({ message, ...event }: AgentEvent, earlier: readonly RecentEvent[]): boolean {
  const { text } = toRecentEvent({ ...event, ...omitUndefined({ lastMessage: message }) }, {});
  return earlier.some((other) => other.event === "Stop" && other.text === text);
}

/** Longest time from a key press to the end of a session that the user ended: one minute. */
const maxClosingMs = 60_000;

/**
 * Names the reason of an abnormal end: the session's terminal was closed while a request was open. That needs no message
 * if a key was pressed there shortly before.
 */
export function explainClosing(event: AgentEvent, { alerts }: Pick<RunContext, "alerts">): AgentEvent {
  const { terminalDevice, promptedAtMs = 0, concerns = [] } = alerts.get(threadKey(event)) ?? {};
  const requests = concerns.filter((concern) => isOpen(concern) && concern.kind === "needs-you");
  const isUnexplained = event.event === "SessionEnd" && event.kind === "failed" && event.message === undefined;
  if (!isUnexplained || requests.length === 0 || terminalDevice === undefined || existsTerminal(terminalDevice))
    return event;
  const typedAtMs = Math.max(promptedAtMs, ...requests.map(({ acknowledgedAtMs = 0 }) => acknowledgedAtMs));
  const kind = event.atMs - typedAtMs <= maxClosingMs ? "info" : "failed";
  return { ...event, kind, message: "The terminal was closed while it waited for you." };
}

/** True if the last turn failed recently and no earlier event reported it. */
function hasUnreportedFailure(event: AgentEvent, facts: FoundFacts, earlier: readonly RecentEvent[]): boolean {
  const { startedAtMs = 0, saidAtMs = startedAtMs } = facts.work ?? {};
  if (facts.turnOutcome !== "failed" || event.atMs - saidAtMs > maxUnreportedFailureMs) return false;
  return !earlier.some((other) => other.event === "Stop" && other.atMs >= startedAtMs);
}

/** True if a session ends for an unknown reason (`other`) that neither a Stop nor the transcript explains. */
function isAbnormalEnd(event: AgentEvent, facts: FoundFacts, earlier: readonly RecentEvent[]): boolean {
  if (event.reason !== "other" || agentNamed(event.agent)?.otherIsOrdinaryEnd) return false;
  const isExplained = facts.turnOutcome === "completed" || facts.turnOutcome === "interrupted";
  const isEmpty = facts.messageCount === 0 && facts.work?.origin !== "program";
  const hasStopped = earlier.some((other) => other.event === "Stop" && event.atMs - other.atMs < headlessEndMs);
  return !isExplained && !isEmpty && !hasStopped;
}

/**
 * Sets `skip` on the end of a turn that the user interrupted, and on the end of a sub-agent's own session, according to
 * lookups. Keeps an earlier reason to skip.
 */
export function skipByFacts(event: AgentEvent, { callingSessionId, turnOutcome }: FoundFacts): AgentEvent {
  if (event.skip !== undefined) return event;
  const isEnd = event.event === "Stop" || event.event === "SessionEnd";
  if (!isEnd) return event;
  if (callingSessionId !== undefined) return { ...event, skip: "the end of a sub-agent's own session" };
  const isInterrupted = event.event === "Stop" && turnOutcome === "interrupted";
  return isInterrupted ? { ...event, skip: "the user interrupted the turn" } : event;
}

const repeatWindowMs = 2_000;

/**
 * Sets `skip` on an event that repeats another event: one with the same content within two seconds, because two hooks
 * ran; a request for the same calls under another notification type; or an echo by the agent's rules. Keeps an earlier
 * reason to skip.
 * @param facts facts about the event. Without facts, two different requests may look the same.
 * @param others events of the session that were judged earlier. Some may have begun later, because hooks run
 * concurrently.
 */
function deduplicate(
  event: AgentEvent,
  facts: FoundFacts,
  others: readonly RecentEvent[],
  echoes: readonly EchoRule[],
): AgentEvent {
  const unskipped = others.filter(({ skipped }) => !skipped);
  if (unskipped.length === 0) return event;
  const earlier = unskipped.filter(({ atMs }) => atMs <= event.atMs);
  const current = toRecentEvent(event, facts);
  const skip =
    event.skip ??
    findRepeat(current, unskipped, facts) ??
    findSameRequest(current, earlier) ??
    findEcho(event, earlier, echoes);
  return { ...event, ...omitUndefined({ skip }) };
}

/** Fields that are equal in an event and its repeat. */
const comparedParts = ["event", "type", "turn", "subAgent", "kind", "text"] as const;

function findRepeat(current: RecentEvent, unskipped: readonly RecentEvent[], { work }: FoundFacts): string | undefined {
  if (!(eventNames as readonly string[]).includes(current.event)) return undefined;
  // The answer to a dialog may be followed by the same question.
  const isAnswered = (other: RecentEvent) =>
    current.dialog !== undefined && unskipped.some(({ dialog, atMs }) => dialog === "ends" && atMs >= other.atMs);
  const isRepeat = unskipped.some(
    (other) =>
      Math.abs(current.atMs - other.atMs) < repeatWindowMs &&
      comparedParts.every((part) => other[part] === current[part]) &&
      !isAnswered(other) &&
      !(current.event === "Stop" && work && hasWorkedSince(other.atMs, work)),
  );
  return isRepeat ? "a repeat within two seconds" : undefined;
}

/** Finds an earlier event of another notification type that asks for the same calls. */
function findSameRequest({ calls, type }: RecentEvent, unskipped: readonly RecentEvent[]): string | undefined {
  const isKnown = calls !== undefined && unskipped.some((other) => other.calls === calls && other.type !== type);
  return isKnown ? "the same request under another name" : undefined;
}

function findEcho(event: AgentEvent, unskipped: readonly RecentEvent[], echoes: readonly EchoRule[]) {
  const prompts = unskipped.filter((other) => other.event === promptEvent);
  const sincePrompt = unskipped.filter(({ atMs }) => prompts.every((prompt) => prompt.atMs <= atMs));
  const isEcho = ({ after, withinMs }: EchoRule) =>
    sincePrompt.some((other) => other.nativeEvent === after && event.atMs - other.atMs < withinMs);
  const rule = echoes.find((candidate) => isRuleFor(candidate, event) && isEcho(candidate));
  return rule && `an echo of the ${rule.after} before it`;
}

/** Longest wait for the transcript line that names the prompt's author, in milliseconds. */
const maxPromptLineWaitMs = 2_000;
const pollMs = 250;
/** Longest time between a prompt and a key press that shows that a person typed the prompt: 10 s. */
const maxTypingGapMs = 10_000;

/**
 * Decides from the prompt's line in the transcript whether a person typed the prompt. If the line is missing, waits up
 * to two seconds for it. Without the line, the prompt's first words decide, unless a key was pressed at about that
 * time. A prompt that a program sent has a reason to skip it.
 */
export async function judgePrompt(event: AgentEvent, context: RunContext): Promise<KnownEvent> {
  const facts = {};
  if (event.skip !== undefined && event.skip !== programLikePromptReason) return { event, facts };
  const nowMs = context.ports.clock.now();
  const { skip: _, ...typed } = event;
  const author = await readPromptAuthor(event, context.ports.files);
  if (author === "person") return { event: typed, facts };
  if (author === "program") return { event: { ...event, skip: programPromptReason }, facts };
  const untilMs = Math.min(nowMs + pollMs, event.atMs + maxPromptLineWaitMs);
  if (author === "unknown" && nowMs < untilMs) {
    return { event, facts, wait: { untilMs, reason: "the transcript may say who typed it" } };
  }
  return { event: event.skip !== undefined && wasKeyPressed(event, context) ? typed : event, facts };
}

function wasKeyPressed({ atMs, processes = [] }: AgentEvent, { ports }: RunContext): boolean {
  const typedAtMs = ports.presence.typedAtMs(processes);
  return typedAtMs !== undefined && Math.abs(atMs - typedAtMs) <= maxTypingGapMs;
}

/** Longest time from a request until its session's transcripts show its calls: 10 s. */
const maxLateCallMs = 10_000;

/** Judges an event again after its first wait, by what its session's transcripts say by then. */
export async function judgeLate(event: AgentEvent, context: RunContext): Promise<void> {
  const concern = findConcern(event, context);
  const isJudged = concern?.kind === "needs-you" || (concern?.kind === "finished" && event.event === "Stop");
  if (!concern || !isJudged || !isOpen(concern) || event.isRelayed || !context.config.attention.judgeLate) return;
  const found = await readOnInTime(event, concern.readTo, context);
  const nowMs = context.ports.clock.now();
  if (found) changeConcern(event, (current) => afterReading(current, found, nowMs, event), context);
}

/**
 * Updates an open concern by what was added to its session's transcripts: a request is resolved if all its calls
 * have answers, in the transcript of the agent that made them, and a turn's end if the session has worked since then.
 * @param event the event that raised the concern, if its payload is known. Then the calls of a request are found even
 * if the transcript was late.
 */
export function afterReading(
  concern: Concern,
  { work, readTo }: Required<Pick<FoundFacts, "work" | "readTo">>,
  nowMs: number,
  event: AgentEvent | undefined = concern.event.extra.agent_id === undefined ? undefined : concern.event,
): Concern {
  if (concern.kind === "finished") {
    const hasGoneOn = hasWorkedSince(concern.atMs, work);
    // Further replies to other agents are not sent, so the first one stays. Their lines are read again.
    if (concern.isReplyToMate && (work.isReplyToMate || !hasGoneOn)) return concern;
    return hasGoneOn ? resolved(concern, "went on", nowMs) : { ...concern, readTo };
  }
  const calls = concern.calls.length > 0 || !event ? concern.calls : findAskedCalls(event, { work });
  if (concern.wasAnswered || resolvedByCalls(calls, { work }) !== undefined) return resolved(concern, "result", nowMs);
  // An interruption does not concern sub-agents.
  const isOwn = concern.event.extra.agent_id === undefined && !calls.some((id) => id.includes("/"));
  if (work.isInterrupted && isOwn) return resolved(concern, "stop", nowMs);
  // Before the calls are known, lines are read again.
  if (calls.length === 0 && nowMs - concern.atMs < maxLateCallMs) return concern;
  return { ...concern, readTo, calls: calls.filter((id) => resolvedByCalls([id], { work }) === undefined) };
}

/**
 * True for the end of a turn in which an agent only replied to another agent with text that asks nothing, if the user
 * was already notified of such a reply since the last prompt.
 */
export function isFurtherReplyToMate(event: AgentEvent, facts: FoundFacts, context: RunContext): boolean {
  const isReply = event.event === "Stop" && event.kind === "finished" && facts.work?.isReplyToMate;
  if (!isReply || endsWithQuestion(event.lastMessage ?? facts.lastMessage ?? "")) return false;
  const { concerns = [], promptedAtMs = 0 } = context.alerts.get(threadKey(event)) ?? {};
  return concerns.some(({ id, isReplyToMate, atMs }) => isReplyToMate && id !== event.id && atMs > promptedAtMs);
}
