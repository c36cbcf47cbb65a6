import { acknowledged, changeOpen, resolved } from "../attention/alert.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Reaction } from "../core/notifier-call.ts";
import { changeAlert } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import { goToTerminal } from "./go-to-terminal.ts";
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
 * What a person's reaction to a message comes to: what is seen is over; who goes to the terminal knows of it, and has seen
 * what asks for nothing; a message that was put away is not taken back any more.
 */
export function reactTo(reaction: Reaction, { events, sentAtMs, ...message }: ShownMessage, context: RunContext): void {
  if (reaction === "closed") {
    forgetMessage(message, context);
    return;
  }
  const nowMs = context.ports.clock.now();
  for (const key of new Set(events.map(threadKey))) {
    const alert = context.alerts.get(key);
    if (!alert) continue;
    const changed = changeOpen(alert, (one) => {
      if (one.atMs > sentAtMs) return one;
      const isOver = reaction === "seen" || one.kind !== "needs-you";
      return isOver ? resolved(one, "button", nowMs) : acknowledged(one, nowMs);
    });
    changeAlert(changed, context);
  }
  const first = context.alerts.get(threadKey(events[0] ?? { agent: "" }));
  if (reaction === "focus" && first) void goToTerminal(first, context.ports);
}
