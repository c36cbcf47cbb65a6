import { type Alert, acknowledged, changeOpen, resolved } from "../attention/alert.ts";
import { goToTerminal } from "../attention/go-to-terminal.ts";
import { forgetMessage, type MessageKey } from "../attention/messages.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Reaction } from "../core/notifier-call.ts";
import { changeAlert } from "./alerts.ts";
import type { RunContext } from "./context.ts";

/** Sent message that a person can see. */
export interface ShownMessage extends MessageKey {
  /** All events in the message. */
  readonly events: readonly AgentEvent[];
  /** Time when the message was sent, Unix milliseconds. A reaction does not count for concerns that arose later. */
  readonly sentAtMs: number;
}

/**
 * Carries out a person's reaction to a message. `seen` resolves the message's concerns. `focus` brings the terminal to
 * the front, acknowledges requests and resolves other concerns. `closed` makes beckon forget the message, so that it is
 * never withdrawn.
 */
export function reactTo(reaction: Reaction, { events, sentAtMs, ...message }: ShownMessage, context: RunContext): void {
  if (reaction === "closed") {
    forgetMessage(message, context.alerts);
    return;
  }
  const keys = [...new Set(events.map(threadKey))];
  const alerts = keys.flatMap((key) => context.alerts.get(key) ?? []);
  for (const alert of alerts) changeAlert(afterReaction(alert, reaction, sentAtMs, context.ports.clock.now()), context);
  const [first] = alerts;
  if (reaction === "focus" && first) void goToTerminal(first, context.ports);
}

function afterReaction(alert: Alert, reaction: Reaction, sentAtMs: number, nowMs: number): Alert {
  return changeOpen(alert, (concern) => {
    if (concern.atMs > sentAtMs) return concern;
    const isResolved = reaction === "seen" || concern.kind !== "needs-you";
    return isResolved ? resolved(concern, "button", nowMs) : acknowledged(concern, nowMs);
  });
}
