import type { AgentEvent } from "../core/event.ts";
import { longestTimerMs } from "../core/longest-timer.ts";
import type { ClockPort, Timer } from "../core/ports.ts";
import type { RunContext } from "./context.ts";
import type { Delivery, RunState } from "./run-state.ts";
import { takeTurn } from "./take-turn.ts";

/**
 * Attempts an event's open deliveries concurrently. Drops deliveries whose notifier is no longer configured. While any
 * attempt is in progress, also attempts deliveries that become due, so that no retry waits for a slower notifier.
 * Resolves when no attempt is in progress; later retries wait in the spool.
 */
export async function deliverAll(
  event: AgentEvent,
  { facts, freshAtMs, deliveries }: RunState,
  context: RunContext,
): Promise<Record<string, Delivery>> {
  const { backlog, ports } = context;
  const { clock } = ports;
  const round = new DeliveryRound(clock);
  const entries = Object.entries(deliveries).map(async ([name, delivery]): Promise<[string, Delivery][]> => {
    const configured = context.config.notifiers.get(delivery.notifier ?? name);
    if (delivery.status !== "open") return [[name, delivery]];
    if (!configured) return [];
    if (delivery.isUndecided) return [[name, delivery]]; // on hold
    const tryOnce = (current: Delivery) =>
      round.run(() => takeTurn({ event, facts, configured, delivery: current, freshAtMs }, context));
    let current = delivery;
    for (;;) {
      const next = await tryOnce(current);
      if (next?.status !== "open") return [[name, next ?? current]];
      current = next;
      const onRelease = (wake: () => void) => backlog.subscribe((id) => id === event.id && wake());
      await round.waitForEnd((current.dueAtMs ?? 0) - clock.now(), onRelease);
      if (round.hasEnded) return [[name, current]];
    }
  });
  return Object.fromEntries((await Promise.all(entries)).flat());
}

/** Period during which at least one delivery of an event is being attempted. */
class DeliveryRound {
  readonly #clock: ClockPort;
  #underWay = 0;
  #end = (): void => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  /** True if `run` was called at least once and no call is in progress. */
  hasEnded = false;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  async run<T>(act: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await act();
    } finally {
      this.#underWay -= 1;
      this.hasEnded = this.#underWay === 0;
      if (this.hasEnded) this.#end();
    }
  }

  /** Resolves when the round ends, when the function passed to `subscribe` is called, or after `ms` milliseconds. */
  async waitForEnd(ms: number, subscribe: (wake: () => void) => () => void): Promise<void> {
    let timer: Timer | undefined;
    let unsubscribe = (): void => {};
    const due = new Promise<void>((resolve) => {
      timer = this.#clock.after(Math.min(ms, longestTimerMs), resolve);
      unsubscribe = subscribe(resolve);
    });
    await Promise.race([this.#ended, due]);
    timer?.cancel();
    unsubscribe();
  }
}
