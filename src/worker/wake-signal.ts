import type { ClockPort } from "../core/ports.ts";

/** Lets one caller wait for a notification or a timeout. A notification that nothing waits for ends the next wait. */
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

  /** Resolves at the next notification or after `ms`. Resolves at once if a notification came after the last wait. */
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
