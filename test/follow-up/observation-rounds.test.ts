import { expect, test } from "vitest";
import { ObservationRounds } from "../../src/follow-up/observation-rounds.ts";
import { makeAlert } from "../world/alerts.ts";

/** Makes alerts of sessions, oldest first. */
const makeAlerts = (count: number) =>
  Array.from({ length: count }, (_, index) => makeAlert({ sessionId: `s${index}`, lastAtMs: 1_000 + index }));
const listSessions = (alerts: readonly { readonly sessionId?: string | undefined }[]) =>
  alerts.map(({ sessionId }) => sessionId);

test("up to 40 sessions are observed in every round", () => {
  const rounds = new ObservationRounds();
  const alerts = makeAlerts(40);
  for (const _ of [1, 2, 3]) expect(new Set(rounds.next(alerts))).toEqual(new Set(alerts));
});

test("of a thousand sessions the newest 20 are in every round, and all others in one of 49", () => {
  const rounds = new ObservationRounds();
  const alerts = makeAlerts(1_000);
  const newest = alerts.slice(-20);
  const seen = new Map<unknown, number>();
  for (let round = 0; round < 49; round += 1) {
    const chosen = rounds.next(alerts);
    expect(chosen).toHaveLength(40);
    expect(chosen).toEqual(expect.arrayContaining(newest));
    for (const alert of chosen) seen.set(alert, (seen.get(alert) ?? 0) + 1);
  }
  expect(seen.size).toBe(1_000);
  expect(Math.max(...alerts.slice(0, -20).map((alert) => seen.get(alert) ?? 0))).toBe(1);
});

test("a session with a new event is observed in the next round, and one that has ended takes no turn", () => {
  const rounds = new ObservationRounds();
  const alerts = makeAlerts(200);
  rounds.next(alerts);
  const [oldest, ...others] = alerts;
  const changed = { ...oldest, lastAtMs: 9_000 } as (typeof alerts)[number];
  const next = rounds.next([changed, ...others.slice(25)]);
  expect(listSessions(next)).toContain("s0");
  expect(listSessions(next)).not.toContain("s1");
});
