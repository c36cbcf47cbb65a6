import type { ClockPort } from "../../core/ports.ts";

/** Shortest time for which a page counts as new, milliseconds. */
const momentMs = 250;

/** The page that was rendered last. Whoever asks for it again within a moment, or while it renders, gets the same one. */
export class RecentPage {
  readonly #clock: ClockPort;
  #key: string | undefined;
  #page: Promise<string> = Promise.resolve("");
  #untilMs = 0;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Returns the page of that key; a page that took long to render is new for as long. */
  get(key: string, render: () => Promise<string>): Promise<string> {
    const beganAtMs = this.#clock.uptimeMs();
    if (key === this.#key && beganAtMs < this.#untilMs) return this.#page;
    const page = render();
    this.#key = key;
    this.#page = page;
    this.#untilMs = Number.POSITIVE_INFINITY;
    const end = (): void => {
      const endedAtMs = this.#clock.uptimeMs();
      if (this.#page === page) this.#untilMs = endedAtMs + Math.max(momentMs, endedAtMs - beganAtMs);
    };
    const fail = (): void => {
      if (this.#page === page) this.#untilMs = 0;
    };
    page.then(end, fail);
    return page;
  }
}
