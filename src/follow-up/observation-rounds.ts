import type { Alert } from "../attention/alert.ts";

/** Number of sessions, those with the newest events, that are in every round. */
const newestPerRound = 20;
/** Number of other sessions in a round. They take turns. */
const othersPerRound = 20;

/**
 * Chooses the sessions to observe in each round. A round has all sessions if there are at most 40. Otherwise it has the
 * 20 newest and 20 older sessions in turn, because observing a thousand sessions twice a second would take a tenth of a
 * core. With a thousand sessions, an older session is observed every 25 s.
 */
export class ObservationRounds {
  #round = 0;
  /** Last round of each session, by its alert's key. */
  #lastRounds = new Map<string, number>();

  /** Returns the alerts of the next round: the newest, and those whose last round was the longest ago. */
  next(alerts: readonly Alert[]): readonly Alert[] {
    this.#round += 1;
    this.#lastRounds = new Map(alerts.map(({ key }) => [key, this.#lastRounds.get(key) ?? 0]));
    const byAge = alerts.toSorted((a, b) => b.lastAtMs - a.lastAtMs);
    const lastRound = ({ key }: Alert): number => this.#lastRounds.get(key) ?? 0;
    const others = byAge.slice(newestPerRound).sort((a, b) => lastRound(a) - lastRound(b));
    const chosen = [...byAge.slice(0, newestPerRound), ...others.slice(0, othersPerRound)];
    for (const { key } of chosen) this.#lastRounds.set(key, this.#round);
    return chosen;
  }
}
