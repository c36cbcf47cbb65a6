import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";

/**
 * What the transcript adds to the judgement of an event: a failed turn that came as a plain Stop, a turn that the user
 * ended, a sub-agent's own session.
 */
export function classify(event: AgentEvent, { callingSessionId, turnOutcome }: Facts): AgentEvent {
  if (event.skip !== undefined) return event;
  const isEnd = event.event === "Stop" || event.event === "SessionEnd";
  if (isEnd && callingSessionId !== undefined) return { ...event, skip: "the end of a sub-agent's own session" };
  if (event.event !== "Stop") return event;
  if (turnOutcome === "interrupted") return { ...event, skip: "the user interrupted the turn" };
  return turnOutcome === "failed" ? { ...event, kind: "failed" } : event;
}
