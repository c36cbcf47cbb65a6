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

  /**
   * Waits until the next notification, or until `ms` have passed. Does not wait if a notification came after the last
   * wait.
   * @returns true if there was a notification
   */
  async wait(ms: number): Promise<boolean> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve).ref();
        this.#wakeUp = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    const isNotified = this.#isNotified;
    this.#isNotified = false;
    return isNotified;
  }
}
