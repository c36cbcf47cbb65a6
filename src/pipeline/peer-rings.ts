/** Maximum number of events from one other machine about which people are notified in a minute. */
export const ringsPerMinute = 30;
const minuteMs = 60_000;

/**
 * Decision about notifying people: `call` to notify them, `first` or `leave out` not to. `first` is for the first event
 * that exceeds the limit.
 */
type Verdict = "call" | "first" | "leave out";

/** Counter, for each other machine, of its events about which people are notified. */
export class PeerRings {
  readonly #times = new Map<string, readonly number[]>();

  count(host: string, nowMs: number): Verdict {
    const last = (this.#times.get(host) ?? []).filter((atMs) => nowMs - atMs < minuteMs);
    if (last.length > ringsPerMinute) return "leave out";
    this.#times.set(host, [...last, nowMs]);
    return last.length < ringsPerMinute ? "call" : "first";
  }
}
