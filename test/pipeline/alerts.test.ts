import { afterEach, beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { noteInAlert } from "../../src/pipeline/alerts.ts";
import { DeliveryWorld, startMs } from "./delivery-world.ts";

let world: DeliveryWorld;
beforeEach(() => {
  world = new DeliveryWorld();
});
afterEach(() => world.remove());

const asked: AgentEvent = {
  ...{ id: "a", atMs: startMs, event: "Notification", nativeEvent: "Notification", kind: "needs-you", agent: "claude" },
  ...{ sessionId: "s-1", cwd: "/home/me/shop", project: "shop", message: "may I?", extra: {} },
};
const seen: AgentEvent = { ...asked, id: "b", atMs: startMs + 1, event: "Seen", nativeEvent: "Seen", kind: "info" };

test.each([
  { raised: "devbox", said: undefined },
  { raised: undefined, said: "devbox" },
  { raised: "devbox", said: "devbox" },
])("what is seen is over, raised by a worker on $raised, said to one on $said", async ({ raised, said }) => {
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

test("that an unknown session was seen makes no alert", async () => {
  const context = world.worker(await parseConfig(undefined));
  noteInAlert(seen, {}, context);
  expect(context.alerts.all()).toEqual([]);
});
