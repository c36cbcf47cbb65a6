import { expect, test } from "vitest";
import type { Route } from "../../src/config/config.ts";
import { findSender } from "../../src/config/notifier-entry.ts";
import { parseConfig } from "../../src/config/parse.ts";

const slack = { type: "slack", url: "https://hooks.example/T0/B0/x" };
const defaults = ["default-desk", "default-chime"];
const urgent: Route["kinds"] = ["needs-you", "failed", "finished"];
const notifiers = { team: slack, bad: {} };
const failed = { kinds: ["failed", "info"], agents: ["droid"], to: ["bad"] };
const unreadable = [5, { on: ["Stopp"], to: ["team"] }];

test.each<[string, object, readonly Partial<Route>[]]>([
  ["there is no mistake", { notifiers: { team: slack }, routes: [] }, []],
  ["another notifier is left", { notifiers, routes: [{ to: ["bad", "team"] }] }, []],
  ["the broken notifier has no route", { notifiers, routes: [{ to: ["team"] }] }, []],
  ["it was notified of nothing urgent", { notifiers: { bad: {} }, routes: [{ kinds: ["info"], to: ["bad"] }] }, []],
  ["no notifier is left", { notifiers: { bad: {} } }, [{ kinds: urgent }]],
  ["a route is left without a notifier", { notifiers, routes: [failed] }, [{ kinds: ["failed"], agents: ["droid"] }]],
  ["routes could not be read", { notifiers: { team: slack }, routes: unreadable }, [{ kinds: urgent }]],
])("if %s, the fallback covers this much", async (_, file, expected) => {
  const { standInRoutes } = await parseConfig(JSON.stringify(file));
  expect(standInRoutes).toEqual(expected.map((route) => ({ ...route, to: defaults })));
});

test("a usable notifier of a default's type is the fallback, and no other is added", async () => {
  const file = { notifiers: { screen: { type: "desktop" } }, routes: [{ kinds: ["needs_you"], to: ["screen"] }] };
  const { notifiers, standInRoutes } = await parseConfig(JSON.stringify(file));
  expect([...notifiers.keys()]).toEqual(["screen"]);
  expect(standInRoutes).toEqual([{ kinds: urgent, to: ["screen"] }]);
});

test("a stand-in's message can be changed after the configuration was corrected, by a notifier of its type", async () => {
  const { notifiers } = await parseConfig(JSON.stringify({ notifiers: { team: slack, screen: { type: "desktop" } } }));
  const names = ["default-desk", "screen", "default-chime", "default-team", "gone"];
  expect(names.map((name) => findSender(name, notifiers)?.name)).toEqual(["screen", "screen", ...Array(3)]);
});
