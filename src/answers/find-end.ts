import { isOpen } from "../attention/alert.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import { asText } from "../core/json-value.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { findConcern } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { type HeldAsk, isHookWaiting } from "./open-asks.ts";

/** Finds the reason why a request can no longer be answered; undefined while it can. */
export function findEnd(ask: HeldAsk, uptimeMs: number, context: RunContext): string | undefined {
  const concern = findConcern(ask.event, context);
  if (concern && !isOpen(concern)) return `no longer open: ${concern.resolvedBy ?? "resolved"}`;
  if (!isHookWaiting(ask)) return "its hook has ended";
  if (uptimeMs >= ask.endsAtMs) return "nobody answered in time";
  return ask.keys?.isPressed ? "you are at the agent's terminal" : undefined;
}

/**
 * True if a later event shows that a request has been answered: a prompt, or the end of its turn or session. The next
 * request shows it too, unless the agent waits for the hook.
 */
export function isFollowedBy(ask: HeldAsk, event: AgentEvent): boolean {
  if (ask.thread !== threadKey(event) || ask.event.id === event.id || event.atMs < ask.event.atMs) return false;
  if (event.event === "SessionEnd") return true;
  const isNext = !ask.isSerial && event.nativeEvent === ask.event.nativeEvent;
  return (
    ([promptEvent, "Stop"].includes(event.event) || isNext) && ask.subAgent === (asText(event.extra.agent_id) ?? "")
  );
}
