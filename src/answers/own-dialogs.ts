import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { HeldAsk } from "./open-asks.ts";

/** Longest time from a hook's end until the agent has opened its own dialog and reported the dialog: ten seconds. */
const dialogDelayMs = 10_000;

/** Agents' own dialogs that open once the hook that held them back has ended. */
export class OwnDialogs {
  readonly #releasedAtMs = new Map<string, number>();

  /** Notes that a request is left to the agent. @param nowMs process uptime */
  noteEnd({ thread, isSerial }: Pick<HeldAsk, "thread" | "isSerial">, nowMs: number): void {
    if (isSerial) this.#releasedAtMs.set(thread, nowMs);
  }

  /**
   * True if an event belongs to an open request of its session, or to the dialog that now replaces a request.
   * @param nowMs process uptime
   */
  isAwaited(event: AgentEvent, open: ReadonlyMap<string, HeldAsk>, nowMs: number): boolean {
    const thread = threadKey(event);
    const isOpen = [...open.values()].some((ask) => ask.thread === thread && ask.event.atMs <= event.atMs);
    return isOpen || nowMs - (this.#releasedAtMs.get(thread) ?? Number.NEGATIVE_INFINITY) < dialogDelayMs;
  }
}
