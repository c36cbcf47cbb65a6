import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { sampleSessionPrefix } from "../../src/attention/session-memory.ts";
import { startReceiver } from "../world/receiver.ts";
import { WorkerWorld } from "../world/worker-world.ts";

let world: WorkerWorld;
beforeEach(() => {
  world = new WorkerWorld();
  world.answerToAll = {};
});
afterEach(() => world.remove());

/** Has a worker deliver the installer's sample. Returns the milliseconds that it lingers. */
async function stayAfterSample(): Promise<number> {
  let hasEnded = false;
  const worker = world.start().then(() => {
    hasEnded = true;
  });
  const session_id = `${sampleSessionPrefix}1`;
  world.fire({ hook_event_name: "Notification", session_id, cwd: "/home/dev/shop", message: "beckon is installed." });
  await world.until((journal) => journal.some(({ status }) => status === "sent"));
  const sentAtMs = world.nowMs;
  await world.until(() => hasEnded);
  await worker;
  return world.nowMs - sentAtMs;
}

test("a worker exits after a sample that cannot be withdrawn", async () => {
  world.linger("0s");
  expect(await stayAfterSample()).toBeLessThan(5_000);
});

test("a worker stays ten seconds to withdraw a sample", async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  const notifiers = { hook: { type: "webhook", url: receiver.url, states: true, for: "person" } };
  world.writeConfig({ notifiers, lookups: [], delivery: { linger: "0s" } });
  expect(await stayAfterSample()).toBeGreaterThan(9_000);
  expect(receiver.accepted.map(({ body }) => JSON.parse(body).data.state)).toEqual([undefined, "resolved"]);
});
