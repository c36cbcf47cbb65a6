import { DeliveryError } from "../core/errors.ts";
import type { ClockPort, Timer } from "../core/ports.ts";

/** Grace period after the budget, in which a notifier can report what it was waiting for. */
const graceMs = 100;

/**
 * Calls a notifier with a signal that aborts at the end of its budget, in milliseconds. Rejects soon after that even if
 * the notifier ignores the signal.
 * @throws {DeliveryError} `timeout` at the end of the budget; else what `act` throws
 */
export function withinBudget<T>(
  budgetMs: number,
  clock: ClockPort,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, timer } = startBudget(budgetMs, clock);
  const outcome = new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(new DeliveryError("timeout", `took longer than ${budgetMs} ms`));
    signal.addEventListener("abort", () => clock.after(graceMs, giveUp).ref());
    // Converts a synchronous throw to a rejection.
    act(signal).then(resolve, (error) => {
      if (signal.aborted && !(error instanceof DeliveryError)) giveUp();
      else reject(error);
    });
  });
  return outcome.finally(() => timer.cancel());
}

/** Running budget. */
export interface Budget {
  /** Aborts at the end of the budget, like `AbortSignal.timeout`. */
  readonly signal: AbortSignal;
  readonly timer: Timer;
}

/** Starts a budget, in milliseconds. */
export function startBudget(budgetMs: number, clock: ClockPort): Budget {
  const end = new AbortController();
  const timer = clock.after(budgetMs, () => end.abort(new DOMException("its budget has ended", "TimeoutError")));
  return { signal: end.signal, timer };
}
