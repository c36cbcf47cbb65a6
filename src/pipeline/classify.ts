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

/**
 * The event, corrected by what lookups found: a failed turn that came as a plain Stop is `failed`; the end of a turn that
 * the user interrupted, and those of a sub-agent's own session, are skipped.
 */
export function classify(event: AgentEvent, { callingSessionId, turnOutcome }: Facts): AgentEvent {
  if (event.skip !== undefined) return event;
  const isEnd = event.event === "Stop" || event.event === "SessionEnd";
  if (isEnd && callingSessionId !== undefined) return { ...event, skip: "the end of a sub-agent's own session" };
  if (event.event !== "Stop") return event;
  if (turnOutcome === "interrupted") return { ...event, skip: "the user interrupted the turn" };
  return turnOutcome === "failed" ? { ...event, kind: "failed" } : event;
}
