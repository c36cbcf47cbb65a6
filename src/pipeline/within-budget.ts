import { DeliveryError } from "../core/errors.ts";
import type { ClockPort, Timer } from "../core/ports.ts";

/** Extra time after the budget in which a notifier can still report what it was waiting for, in milliseconds. */
const graceMs = 100;

/**
 * Calls `act`, a notifier's function, with a signal that aborts when the budget is used up. Rejects 100 ms later even
 * if the function ignores the signal.
 * @throws {DeliveryError} `timeout` when the budget is used up; otherwise whatever `act` throws
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

/** Time budget that has started. */
export interface Budget {
  /** Aborts when the budget is used up, like `AbortSignal.timeout`. */
  readonly signal: AbortSignal;
  readonly timer: Timer;
}

/** Starts a time budget, in milliseconds. */
export function startBudget(budgetMs: number, clock: ClockPort): Budget {
  const end = new AbortController();
  const timer = clock.after(budgetMs, () => end.abort(new DOMException("its budget has ended", "TimeoutError")));
  return { signal: end.signal, timer };
}
