import { type Alert, acknowledged, changeOpen, resolved } from "../attention/alert.ts";
import { goToTerminal } from "../attention/go-to-terminal.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Reaction } from "../core/notifier-call.ts";
import { changeAlert } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import { forgetMessage } from "./take-back.ts";

/** A message that a person has before them. */
export interface ShownMessage {
  readonly notifier: string;
  /** The message's own id. */
  readonly group: string;
  /** What it tells of. */
  readonly events: readonly AgentEvent[];
  /** When it was sent, Unix milliseconds: of what came later it says nothing. */
  readonly sentAtMs: number;
}

/**
 * What a person's reaction to a message comes to: what is seen is over; who goes to the terminal knows of it, and has
 * seen what asks for nothing; a message that was put away is not taken back any more.
 */
export function reactTo(reaction: Reaction, { events, sentAtMs, ...message }: ShownMessage, context: RunContext): void {
  if (reaction === "closed") {
    forgetMessage(message, context);
    return;
  }
  const keys = [...new Set(events.map(threadKey))];
  const alerts = keys.flatMap((key) => context.alerts.get(key) ?? []);
  for (const alert of alerts) changeAlert(afterReaction(alert, reaction, sentAtMs, context.ports.clock.now()), context);
  const [first] = alerts;
  if (reaction === "focus" && first) void goToTerminal(first, context.ports);
}

function afterReaction(alert: Alert, reaction: Reaction, sentAtMs: number, nowMs: number): Alert {
  return changeOpen(alert, (one) => {
    if (one.atMs > sentAtMs) return one;
    const isOver = reaction === "seen" || one.kind !== "needs-you";
    return isOver ? resolved(one, "button", nowMs) : acknowledged(one, nowMs);
  });
}
