/** Most events of another machine per minute that people are called for. */
export const ringsPerMinute = 30;
const minuteMs = 60_000;

/** Decision on a call. `first` is the first dropped call of a minute. */
type Verdict = "call" | "first" | "leave out";

/** Counts calls to people from each other machine. */
export class PeerRings {
  readonly #times = new Map<string, readonly number[]>();

  count(host: string, nowMs: number): Verdict {
    const last = (this.#times.get(host) ?? []).filter((atMs) => nowMs - atMs < minuteMs);
    if (last.length > ringsPerMinute) return "leave out";
    this.#times.set(host, [...last, nowMs]);
    return last.length < ringsPerMinute ? "call" : "first";
  }
}
