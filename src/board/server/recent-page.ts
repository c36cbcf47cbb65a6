import type { ClockPort } from "../../core/ports.ts";

/** Minimum time for which a rendered page is reused, milliseconds. */
const minPageAgeMs = 250;

/** The page rendered last. Requests for the same page share it while it renders and shortly afterwards. */
export class RecentPage {
  readonly #clock: ClockPort;
  #key: string | undefined;
  #page: Promise<string> = Promise.resolve("");
  #untilMs = 0;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Returns the page for a key. A page is reused for as long as its rendering took, but at least for 250 ms. */
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
