import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { observe } from "../../src/pipeline/observe.ts";
import { createRelay } from "../../src/relay/edge.ts";
import { relayFiles } from "../../src/relay/relay-files.ts";
import { configOf, DeliveryWorld } from "../world/delivery-world.ts";

let world: DeliveryWorld;
beforeEach(() => {
  world = new DeliveryWorld();
});
afterEach(() => world.remove());

test("a key at the agent's terminal is told to the person's machine, once", async () => {
  const paths = { relay: join(world.root, "relay") };
  const config = await configOf({ notifiers: { home: { type: "relay", via: "stdio" } } });
  const worker = world.worker(config);
  const context = { ...worker, ports: { ...worker.ports, relay: createRelay(paths) } };
  world.take("one", {
    ...{ hook_event_name: "Notification", session_id: "s", cwd: "/home/me/shop" },
    ...{ notification_type: "permission_prompt", message: "May I?" },
  });
  await world.drain(context);
  const sent = () =>
    readdirSync(relayFiles(paths).outbox)
      .sort()
      .map((file) => JSON.parse(readFileSync(join(relayFiles(paths).outbox, file), "utf8")));
  const [asked] = sent();
  expect(asked.type).toBe("io.beckon.agent.needs-you.v1");
  world.nowMs += 10_000;
  world.presence = { typedAtMs: world.nowMs - 1_000 };
  for (let look = 0; look < 3; look += 1) for (const alert of context.alerts.all()) await observe(alert, context);
  const [noticed, ...others] = sent();
  expect(noticed.data.states).toEqual([{ id: asked.id, state: "noticed", atMs: world.nowMs }]);
  expect(others).toEqual([asked]);
});
