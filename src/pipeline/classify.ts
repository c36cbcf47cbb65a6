import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";

/** What the transcript adds to the judgement: a failed turn that came as a plain Stop, and a sub-agent's own session. */
export function classify(event: AgentEvent, facts: Facts): AgentEvent {
  const endOfChild = facts.callingSessionId !== undefined && (event.event === "Stop" || event.event === "SessionEnd");
  if (endOfChild && event.skip === undefined) return { ...event, skip: "the end of a sub-agent's own session" };
  const failed = event.event === "Stop" && event.kind === "finished" && facts.turnOutcome === "failed";
  return failed ? { ...event, kind: "failed" } : event;
}
