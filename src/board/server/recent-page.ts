import type { ClockPort } from "../../core/ports.ts";

/** Shortest time a page is reused, milliseconds. */
const minPageAgeMs = 250;

/** The last page rendered. Requests for it while it renders, or shortly after, share it. */
export class RecentPage {
  readonly #clock: ClockPort;
  #key: string | undefined;
  #page: Promise<string> = Promise.resolve("");
  #untilMs = 0;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Returns the page with that key. A page is reused for as long as it took to render. */
  get(key: string, render: () => Promise<string>): Promise<string> {
    const beganAtMs = this.#clock.uptimeMs();
    if (key === this.#key && beganAtMs < this.#untilMs) return this.#page;
    const page = render();
    this.#key = key;
    this.#page = page;
    this.#untilMs = Number.POSITIVE_INFINITY;
    const end = (): void => {
      const endedAtMs = this.#clock.uptimeMs();
      if (this.#page === page) this.#untilMs = endedAtMs + Math.max(minPageAgeMs, endedAtMs - beganAtMs);
    };
    const fail = (): void => {
      if (this.#page === page) this.#untilMs = 0;
    };
    page.then(end, fail);
    return page;
  }
}
