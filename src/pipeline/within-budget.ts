import { DeliveryError } from "../core/errors.ts";

/** How long a notifier whose budget has ended has to say what it was waiting for. */
const graceMs = 100;

/**
 * Calls a notifier with a signal that aborts at the end of its budget, in milliseconds, and rejects soon after also
 * where the signal is ignored.
 * @throws {DeliveryError} `timeout` at the end of the budget; else what `act` throws
 */
export function withinBudget<T>(budgetMs: number, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(budgetMs);
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new DeliveryError("timeout", `took longer than ${budgetMs} ms`));
    signal.addEventListener("abort", () => setTimeout(giveUp, graceMs));
    // A synchronous throw rejects as well.
    act(signal).then(resolve, (error) => {
      if (signal.aborted && !(error instanceof DeliveryError)) giveUp();
      else reject(error);
    });
  });
}
