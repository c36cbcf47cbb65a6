import { agentNamed } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import type { RecentEvent } from "./recent-events.ts";

/** A session that ends so soon after a Stop is a run without a terminal that has done its work. */
const headlessEndMs = 30_000;

/**
 * The event, `failed` if it is the end of a session for an unknown reason (`other`) that no Stop explains.
 * @param earlier events of the same session that came in before it
 */
export function classifyEnd(event: AgentEvent, earlier: readonly RecentEvent[]): AgentEvent {
  if (event.event !== "SessionEnd" || event.reason !== "other") return event;
  if (agentNamed(event.agent)?.otherIsOrdinaryEnd) return event;
  const hasStopped = earlier.some((one) => one.event === "Stop" && event.atMs - one.atMs < headlessEndMs);
  return hasStopped ? event : { ...event, kind: "failed" };
}

/** The event, `failed` if it is a plain Stop whose turn failed by what lookups found. */
export function classify(event: AgentEvent, { turnOutcome }: Facts): AgentEvent {
  return event.event === "Stop" && turnOutcome === "failed" ? { ...event, kind: "failed" } : event;
}

/**
 * The event, with `skip` set if by what lookups found it is the end of a turn that the user interrupted, or of a
 * sub-agent's own session. A reason to skip that it has already stays.
 */
export function skipEnd(event: AgentEvent, { callingSessionId, turnOutcome }: Facts): AgentEvent {
  const isEnd = event.event === "Stop" || event.event === "SessionEnd";
  if (event.skip !== undefined || !isEnd) return event;
  if (callingSessionId !== undefined) return { ...event, skip: "the end of a sub-agent's own session" };
  const isInterrupted = event.event === "Stop" && turnOutcome === "interrupted";
  return isInterrupted ? { ...event, skip: "the user interrupted the turn" } : event;
}
