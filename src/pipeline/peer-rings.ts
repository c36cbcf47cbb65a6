/** Most events of another machine a minute that people are called for. */
export const ringsPerMinute = 30;
const minuteMs = 60_000;

/** Decision on a call: `first` is the first of a minute that is left out. */
type Verdict = "call" | "first" | "leave out";

/** Counts how often each of the other machines calls people. */
export class PeerRings {
  readonly #times = new Map<string, readonly number[]>();

  count(host: string, nowMs: number): Verdict {
    const last = (this.#times.get(host) ?? []).filter((atMs) => nowMs - atMs < minuteMs);
    if (last.length > ringsPerMinute) return "leave out";
    this.#times.set(host, [...last, nowMs]);
    return last.length < ringsPerMinute ? "call" : "first";
  }
}
