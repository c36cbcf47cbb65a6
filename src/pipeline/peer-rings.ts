/** Maximum number of events per minute from another machine for which people are notified. */
export const ringsPerMinute = 30;
const minuteMs = 60_000;

/** Decision whether to notify people. `first` is the first event within a minute that exceeds the limit. */
type Verdict = "call" | "first" | "leave out";

/** Counts, for each other machine, the events for which people are notified. */
export class PeerRings {
  readonly #times = new Map<string, readonly number[]>();

  count(host: string, nowMs: number): Verdict {
    const last = (this.#times.get(host) ?? []).filter((atMs) => nowMs - atMs < minuteMs);
    if (last.length > ringsPerMinute) return "leave out";
    this.#times.set(host, [...last, nowMs]);
    return last.length < ringsPerMinute ? "call" : "first";
  }
}
