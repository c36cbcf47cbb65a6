import { agentNamed } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import type { RecentEvent } from "./recent-events.ts";

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
  if (event.event !== "SessionEnd" || event.kind === "failed") return event;
  if (hasUnreportedFailure(event, facts, earlier)) {
    return { ...event, kind: "failed", message: facts.lastMessage ?? event.message ?? noAnswerMessage };
  }
  return isAbnormalEnd(event, facts, earlier) ? { ...event, kind: "failed" } : event;
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
  const isEmpty = facts.messageCount === 0 && facts.work?.isHeadless !== true;
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
