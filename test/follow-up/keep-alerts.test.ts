import { expect, test } from "vitest";
import { ObservationRounds } from "../../src/follow-up/keep-alerts.ts";
import { makeAlert } from "../world/alerts.ts";

/** Makes alerts of sessions, oldest first. */
const makeAlerts = (count: number) =>
  Array.from({ length: count }, (_, index) => makeAlert({ sessionId: `s${index}`, lastAtMs: 1_000 + index }));

const listSessions = (alerts: readonly { readonly sessionId?: string | undefined }[]) =>
  alerts.map(({ sessionId }) => sessionId);

test("up to 40 sessions are observed in every round, and rounds follow one another at once", () => {
  const rounds = new ObservationRounds();
  const alerts = makeAlerts(40);
  for (const nowMs of [0, 500, 1_000]) {
    expect(rounds.isDue(nowMs)).toBe(true);
    expect(new Set(rounds.begin(alerts, nowMs))).toEqual(new Set(alerts));
  }
});

test("of a thousand sessions the newest 20 are in every round, and all others in one of 49", () => {
  const rounds = new ObservationRounds();
  const alerts = makeAlerts(1_000);
  const newest = alerts.slice(-20);
  const seen = new Map<unknown, number>();
  for (let round = 0; round < 49; round += 1) {
    const chosen = rounds.begin(alerts, 0);
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
  rounds.begin(alerts, 0);
  const [oldest, ...others] = alerts;
  const changed = { ...oldest, lastAtMs: 9_000 } as (typeof alerts)[number];
  const next = rounds.begin([changed, ...others.slice(25)], 0);
  expect(listSessions(next)).toContain("s0");
  expect(listSessions(next)).not.toContain("s1");
});

test("with more than 40 sessions, a round begins three seconds after the last", () => {
  const rounds = new ObservationRounds();
  rounds.begin(makeAlerts(41), 1_000);
  expect([1_000, 3_999, 4_000].map((nowMs) => rounds.isDue(nowMs))).toEqual([false, false, true]);
  rounds.begin(makeAlerts(40), 4_000);
  expect(rounds.isDue(4_000)).toBe(true);
});
