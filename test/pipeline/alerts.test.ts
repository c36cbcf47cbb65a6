import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { alertFolder, readAlerts } from "../../src/attention/alert-files.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { noteInAlert } from "../../src/pipeline/alerts.ts";
import { eventAt } from "../world/arriving-events.ts";
import { DeliveryWorld, makeConfig, startMs } from "../world/delivery-world.ts";

let world: DeliveryWorld;
beforeEach(() => {
  world = new DeliveryWorld();
});

const session = { sessionId: "s-1", cwd: "/home/me/shop", message: "may I?" };
const asked = eventAt("Notification", 0, { id: "a", atMs: startMs, ...session });
const seen = eventAt("Seen", 0, { id: "b", atMs: startMs + 1, ...session });

test.each([
  { raised: "devbox", said: undefined },
  { raised: undefined, said: "devbox" },
  { raised: "devbox", said: "devbox" },
])("an alert raised by a worker on $raised and seen on $said is resolved", async ({ raised, said }) => {
  const context = world.worker(await parseConfig(undefined));
  noteInAlert({ ...asked, ...(raised && { host: raised }) }, {}, context);
  noteInAlert({ ...asked, id: "c", sessionId: "s-2" }, {}, context);
  noteInAlert({ ...seen, ...(said && { host: said }) }, {}, context);
  const states = context.alerts.all().map(({ sessionId, concerns }) => [sessionId, concerns.map(({ state }) => state)]);
  expect(states).toEqual([
    ["s-1", ["resolved"]],
    ["s-2", ["pending"]],
  ]);
});

test("seeing an unknown session creates no alert", async () => {
  const context = world.worker(await parseConfig(undefined));
  noteInAlert(seen, {}, context);
  expect(context.alerts.all()).toEqual([]);
});

test("a request outlives the worker once its event has left the spool, notified or not", async () => {
  const context = world.worker(await makeConfig({ notifiers: {}, routes: [] }));
  world.take("asked", { hook_event_name: "Notification", session_id: "s-1", cwd: "/home/me/shop", message: "may I?" });
  await world.drain(context);
  const folder = alertFolder({ state: join(world.root, "state") });
  expect(readAlerts(folder)).toMatchObject([{ sessionId: "s-1", concerns: [{ id: "asked", state: "pending" }] }]);
});

test("a resolution is stored with its journal line, so a second worker writes none", async () => {
  const context = world.worker(await parseConfig(undefined));
  noteInAlert(asked, {}, context);
  noteInAlert({ ...seen, event: "Prompt", nativeEvent: "UserPromptSubmit" }, {}, context);
  expect(context.journal.readLines("a").map(({ status }) => status)).toEqual(["resolved"]);
  const folder = alertFolder({ state: join(world.root, "state") });
  expect(readAlerts(folder)).toMatchObject([{ concerns: [{ id: "a", state: "resolved" }] }]);
});
