import { isOpen } from "../attention/alert.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import { findConcern } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import type { HeldAsk } from "./open-asks.ts";

/**
 * Maximum time from a hook's end until the agent reports its own dialog: one minute. Claude Code 2.1.331 reports an
 * unanswered dialog after 6 to 12 seconds, or later if keys are pressed in it.
 */
const dialogDelayMs = 60_000;

/** Agents' own dialogs, which decide the requests that nobody answered elsewhere. */
export class OwnDialogs {
  readonly #left = new Map<string, { readonly event: AgentEvent; readonly atMs: number }>();

  /** Notes that a request is left to the agent's own dialog. @param nowMs process uptime */
  noteLeft(event: AgentEvent, nowMs: number): void {
    for (const [id, { atMs }] of this.#left) if (nowMs - atMs >= dialogDelayMs) this.#left.delete(id);
    this.#left.set(event.id, { event, atMs: nowMs });
  }

  /**
   * True if an event belongs to an open request of its session, or to the dialog that now decides a request.
   * @param nowMs process uptime
   */
  isAwaited(
    event: AgentEvent,
    open: ReadonlyMap<string, HeldAsk>,
    nowMs: number,
    context: Pick<RunContext, "alerts">,
  ): boolean {
    const isOfSession = (request: AgentEvent) => threadKey(request) === threadKey(event) && request.atMs <= event.atMs;
    if ([...open.values()].some((ask) => isOfSession(ask.event))) return true;
    return [...this.#left.values()].some(({ event: request, atMs }) => {
      if (!isOfSession(request) || nowMs - atMs >= dialogDelayMs) return false;
      const concern = findConcern(request, context);
      return concern !== undefined && isOpen(concern);
    });
  }
}
