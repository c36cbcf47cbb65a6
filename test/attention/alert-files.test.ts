import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Alert } from "../../src/attention/alert.ts";
import { Alerts, ChangedAlerts, readAlerts } from "../../src/attention/alert-files.ts";
import { makeAlert } from "../world/alerts.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

let folder: string;
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
  folder = freshFolder();
});

const named = (sessionId: string) => makeAlert({ sessionId });

test("a scan finds only the alerts changed since the last one", () => {
  const kept = new Alerts(folder, clock);
  const changed = new ChangedAlerts(folder);
  const [one, two] = [named("one"), named("two")];
  kept.put(one);
  kept.put(two);
  expect(new Set(changed.read())).toEqual(new Set([one, two]));
  expect(changed.read()).toEqual([]);
  kept.put({ ...two, lastEvent: "Stop" });
  expect(changed.read()).toEqual([{ ...two, lastEvent: "Stop" }]);
  kept.remove(one.key);
  expect(changed.read()).toEqual([]);
  kept.put(one);
  expect(changed.read()).toEqual([one]);
});

test("a new process finds one alert without the others, then all, each once", () => {
  const [one, two, three] = [named("one"), named("two"), named("three")];
  const kept = new Alerts(folder, clock);
  for (const alert of [one, two]) kept.put(alert);
  const alerts = new Alerts(folder, clock);
  expect(alerts.get(one.key)).toEqual(one);
  expect(alerts.get(three.key)).toBeUndefined();
  alerts.put(three);
  alerts.put({ ...one, lastEvent: "Stop" });
  expect(new Set(alerts.all())).toEqual(new Set([{ ...one, lastEvent: "Stop" }, two, three]));
  alerts.remove(two.key);
  expect(new Set(alerts.all())).toEqual(new Set([{ ...one, lastEvent: "Stop" }, three]));
  expect(new Set(new Alerts(folder, clock).all())).toEqual(new Set(alerts.all()));
});

test("a new alert is visible at once, and in its file when flushed, put or a moment old", async () => {
  const [flushed, put, left, removed] = [named("flushed"), named("put"), named("left"), named("removed")];
  const alerts = new Alerts(folder, clock);
  for (const alert of [flushed, put, left, removed]) alerts.putLater(alert);
  expect(alerts.get(flushed.key)).toEqual(flushed);
  expect(readAlerts(folder)).toEqual([]);
  alerts.flush(flushed.key);
  alerts.put({ ...put, lastEvent: "Stop" });
  alerts.remove(removed.key);
  const written = [flushed, { ...put, lastEvent: "Stop" }];
  expect(new Set(readAlerts(folder))).toEqual(new Set(written));
  await clock.advance(99);
  expect(new Set(readAlerts(folder))).toEqual(new Set(written));
  await clock.advance(1);
  expect(new Set(readAlerts(folder))).toEqual(new Set([...written, left]));
});

test("of many files only the changed ones are read again", () => {
  const store = (...alerts: readonly Alert[]): void => {
    const stored = new Alerts(folder, clock);
    for (const alert of alerts) stored.put(alert);
  };
  store(...Array.from({ length: 50 }, (_, index) => makeAlert({ sessionId: `s-${index}`, lastAtMs: 1_000 })));
  expect(readAlerts(folder)).toHaveLength(50);
  store(makeAlert({ sessionId: "s-7", lastAtMs: 20_000, title: "changed" }), makeAlert({ sessionId: "new" }));
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  const titles = readAlerts(folder).map(({ title }) => title);
  expect([titles.length, titles.filter(Boolean)]).toEqual([51, ["changed"]]);
  expect(parse).toHaveBeenCalledTimes(2);
  expect(readAlerts(folder)).toHaveLength(51);
  expect(parse).toHaveBeenCalledTimes(2);
});
