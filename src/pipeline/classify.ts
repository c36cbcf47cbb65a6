import { agentNamed } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import type { RecentEvent } from "./recent-events.ts";

/** A session that ends so soon after a Stop is a run without a terminal that has done its work. */
const headlessEndMs = 30_000;
/** How long after a turn has failed its session's end may still tell it: half a minute more than Codex takes to end. */
const untoldMs = 90_000;

const unanswered = "The model gave no answer to the last prompt";

/**
 * The event, `failed` if it is a plain Stop whose turn failed by what lookups found, or the end of a session that ended
 * with a failure nobody was told of.
 * @param earlier events of the same session that came in before it
 */
export function classify(event: AgentEvent, facts: FoundFacts, earlier: readonly RecentEvent[]): AgentEvent {
  if (event.event === "Stop") return facts.turnOutcome === "failed" ? { ...event, kind: "failed" } : event;
  if (event.event !== "SessionEnd" || event.kind === "failed") return event;
  if (hasFailedUntold(event, facts, earlier)) {
    return { ...event, kind: "failed", message: facts.lastMessage ?? event.message ?? unanswered };
  }
  return isAbnormalEnd(event, facts, earlier) ? { ...event, kind: "failed" } : event;
}

/** Whether the last turn failed just now, and no earlier event said so. */
function hasFailedUntold(event: AgentEvent, facts: FoundFacts, earlier: readonly RecentEvent[]): boolean {
  const { startedAtMs = 0, saidAtMs = startedAtMs } = facts.work ?? {};
  if (facts.turnOutcome !== "failed" || event.atMs - saidAtMs > untoldMs) return false;
  return !earlier.some((one) => one.event === "Stop" && one.atMs >= startedAtMs);
}

/** Whether a session ends for an unknown reason (`other`) that neither a Stop nor the transcript explains. */
function isAbnormalEnd(event: AgentEvent, facts: FoundFacts, earlier: readonly RecentEvent[]): boolean {
  if (event.reason !== "other" || agentNamed(event.agent)?.otherIsOrdinaryEnd) return false;
  const isExplained = facts.turnOutcome === "completed" || facts.turnOutcome === "interrupted";
  const isEmpty = facts.messageCount === 0 && facts.work?.isHeadless !== true;
  const hasStopped = earlier.some((one) => one.event === "Stop" && event.atMs - one.atMs < headlessEndMs);
  return !isExplained && !isEmpty && !hasStopped;
}

/**
 * The event, with `skip` set if by what lookups found it is the end of a turn that the user interrupted, or of a
 * sub-agent's own session. A reason to skip that it has already stays.
 */
export function skipByFacts(event: AgentEvent, { callingSessionId, turnOutcome }: FoundFacts): AgentEvent {
  if (event.skip !== undefined) return event;
  const isEnd = event.event === "Stop" || event.event === "SessionEnd";
  if (!isEnd) return event;
  if (callingSessionId !== undefined) return { ...event, skip: "the end of a sub-agent's own session" };
  const isInterrupted = event.event === "Stop" && turnOutcome === "interrupted";
  return isInterrupted ? { ...event, skip: "the user interrupted the turn" } : event;
}
