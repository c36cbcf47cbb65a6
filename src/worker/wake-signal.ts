import type { ClockPort } from "../core/ports.ts";

/** Lets a single waiter sleep until a notification or a timeout. Keeps a notification without a waiter for the next. */
export class WakeSignal {
  readonly #clock: ClockPort;
  #isNotified = false;
  #wakeUp: (() => void) | undefined;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  notify(): void {
    this.#isNotified = true;
    this.#wakeUp?.();
  }

  /** Resolves at the next notification, at once if there was one since the last wait, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve).ref();
        this.#wakeUp = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    this.#isNotified = false;
  }
}
