import type { Alert } from "../attention/alert.ts";

/** Largest number of sessions in a round. */
export const maxPerRound = 40;
/** Shortest time between two rounds if there are more sessions than fit into one, milliseconds. */
export const roundMs = 3_000;
/** Number of sessions with the newest events that are part of every round. */
const newestPerRound = 20;

/**
 * Chooses the sessions to observe in each round. A round has all sessions if there are at most 40. Otherwise it has the
 * 20 newest sessions, and 20 of the others, which take turns; the next round begins three seconds later, because
 * observing a thousand sessions twice a second would take a tenth of a CPU core. With a thousand sessions, each of the
 * others is observed every 150 s.
 */
export class ObservationRounds {
  #round = 0;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  /** Number of the last round that each session was part of, by the key of its alert. */
  #lastRounds = new Map<string, number>();

  /** Tells if the next round may begin. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.#nextAtMs;
  }

  /** Begins a round. Returns its alerts: the newest, and of the others those that have waited longest. */
  begin(alerts: readonly Alert[], nowMs: number): readonly Alert[] {
    this.#round += 1;
    this.#lastRounds = new Map(alerts.map(({ key }) => [key, this.#lastRounds.get(key) ?? 0]));
    const byAge = alerts.toSorted((a, b) => b.lastAtMs - a.lastAtMs);
    const lastRound = ({ key }: Alert): number => this.#lastRounds.get(key) ?? 0;
    const others = byAge.slice(newestPerRound).sort((a, b) => lastRound(a) - lastRound(b));
    const chosen = [...byAge.slice(0, newestPerRound), ...others.slice(0, maxPerRound - newestPerRound)];
    for (const { key } of chosen) this.#lastRounds.set(key, this.#round);
    this.#nextAtMs = chosen.length < alerts.length ? nowMs + roundMs : nowMs;
    return chosen;
  }
}
