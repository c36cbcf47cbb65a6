import { changeOpen, findAskedCalls, isOpen, resolved } from "../attention/alert.ts";
import { resolvedByCalls } from "../attention/note-event.ts";
import { threadKey } from "../attention/session-keys.ts";
import type { AgentEvent } from "../core/event.ts";
import { type FoundFacts, hasWorkedSince } from "../core/facts.ts";
import { changeAlert, findConcern } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import { readTranscript } from "./look-up.ts";

/**
 * Judges an event again after its first wait, from the current transcript. Resolves a request if its tool calls have
 * answers, and a turn's end if the session has worked since then.
 */
export async function judgeLate(event: AgentEvent, context: RunContext): Promise<void> {
  const concern = findConcern(event, context);
  const isJudged = concern?.kind === "needs-you" || (concern?.kind === "finished" && event.event === "Stop");
  if (!concern || !isJudged || !isOpen(concern) || event.isRelayed || !context.config.attention.judgeLate) return;
  const facts = await readTranscript(event, context);
  const calls = concern.calls.length > 0 ? concern.calls : findAskedCalls(event, facts);
  const wentOn = facts.work && hasWorkedSince(event.atMs, facts.work) ? "went on" : undefined;
  const by = concern.kind === "needs-you" ? resolvedByCalls(calls, facts) : wentOn;
  const alert = context.alerts.get(threadKey(event));
  if (by === undefined || !alert) return;
  const nowMs = context.ports.clock.now();
  changeAlert(
    changeOpen(alert, (other) => (other.id === event.id ? resolved(other, by, nowMs) : other)),
    context,
  );
}

/**
 * True for the end of a turn in which an agent only replied to another agent with text, if the user was already
 * notified of such a reply since the last prompt.
 */
export function isFurtherReplyToMate(event: AgentEvent, { work }: FoundFacts, context: RunContext): boolean {
  if (event.event !== "Stop" || !work?.isReplyToMate) return false;
  const { concerns = [], promptedAtMs = 0 } = context.alerts.get(threadKey(event)) ?? {};
  return concerns.some(({ id, isReplyToMate, atMs }) => isReplyToMate && id !== event.id && atMs > promptedAtMs);
}
