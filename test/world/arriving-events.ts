import { agentNamed } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Facts } from "../../src/core/facts.ts";
import { judge } from "../../src/pipeline/judge.ts";
import type { RecentEvents } from "../../src/pipeline/recent-events.ts";

const startMs = 1_700_000_000_000;
let count = 0;

/** Makes a native event of session `s` this many milliseconds after a fixed start, by default Claude Code's. */
export function eventAt(nativeEvent: string, afterMs: number, more: Partial<AgentEvent> = {}): AgentEvent {
  const { agent = "claude" } = more;
  const mapping = agentNamed(agent)?.nativeEvents[nativeEvent];
  count += 1;
  return {
    id: `id-${count}`,
    atMs: startMs + afterMs,
    event: mapping?.event ?? nativeEvent,
    nativeEvent,
    agent,
    kind: mapping?.kind ?? "info",
    sessionId: "s",
    project: "shop",
    extra: {},
    ...more,
  };
}

/** Compares an event with earlier ones and remembers it, as the pipeline does. */
export function arrive(recent: RecentEvents, event: AgentEvent, facts: Facts = {}): AgentEvent {
  const session = { events: recent.listSession(event), nowMs: event.atMs };
  const { event: judged, remembered = judged } = judge(event, facts, session);
  recent.add(remembered, facts);
  return judged;
}
