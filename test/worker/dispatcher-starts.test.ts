import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as afterIo, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Dispatcher } from "../../src/worker/dispatcher.ts";
import { openWorkerResources, type WorkerResources } from "../../src/worker/worker-resources.ts";
import { createWorkerWorld, type WorkerWorld, watching } from "../world/worker-world.ts";

let world: WorkerWorld;
let resources: WorkerResources;
let dispatcher: Dispatcher;
let stop: AbortController;
let isStopped: boolean;
/** How often the dispatcher said that the spool is worth a look. */
let calls: number;
/** A moment before the dispatcher was there. */
let createdAtMs: number;
beforeEach(() => {
  world = createWorkerWorld();
  stop = new AbortController();
  isStopped = false;
  calls = 0;
  const onSettled = () => {
    calls += 1;
  };
  resources = openWorkerResources(world.paths, world.ports, () => isStopped);
  const options = { onSettled, isStopped: () => isStopped, signal: stop.signal };
  createdAtMs = performance.now();
  dispatcher = new Dispatcher(world.paths.spool, resources, options);
});
afterEach(() => {
  isStopped = true;
  for (const session of world.asked) world.answer(session);
  stop.abort();
  world.remove();
});

const startReady = () => dispatcher.startReady(world.nowMs);

test("a dispatcher with nothing to start says so, is not busy, and asks for no look", async () => {
  expect(await startReady()).toBe(false);
  await afterIo();
  expect({ calls, busy: dispatcher.busy }).toEqual({ calls: 0, busy: false });
});

test("a dispatcher is busy from the first event's start until the last one is settled", async () => {
  world.store("a");
  expect(await startReady()).toBe(true);
  expect(dispatcher.busy).toBe(true);
  await world.untilAsked("a");
  world.answer("a");
  await expect.poll(() => world.spooled()).toEqual([]);
  await expect.poll(() => dispatcher.busy).toBe(false);
});

test("a look is worth while when an event has to wait, and when the last one is settled; not for each", async () => {
  for (const session of ["done", "waits", "fails", "last"]) world.store(session);
  await startReady();
  await expect.poll(() => world.asked.toSorted()).toEqual(["done", "fails", "last", "waits"]);
  const settled = [];
  for (const [session, act] of [
    ["done", () => world.answer("done")],
    ["waits", () => world.answer("waits", watching)],
    ["fails", () => world.fail("fails")],
    ["last", () => world.answer("last")],
  ] as const) {
    act();
    await expect.poll(() => world.spooled()).not.toContain(`cur/${session}.json`);
    await afterIo();
    settled.push(`${session} ${calls}`);
  }
  expect(settled).toEqual(["done 0", "waits 1", "fails 2", "last 3"]);
});

test("while eight events are judged no other one is started", async () => {
  const ends = Array.from({ length: 8 }, (_, number) => {
    let end = (): void => {};
    void resources.turns.take(`s${number}`, () => new Promise<void>((resolve) => (end = resolve)));
    return () => end();
  });
  world.store("a");
  const started = startReady();
  for (let turn = 0; turn < 20; turn += 1) await afterIo();
  expect(world.spooled()).toEqual(["new/a.json"]);
  ends[0]?.();
  await started;
  expect(world.spooled()).toEqual(["cur/a.json"]);
});

test("a dispatcher that is told to stop does not wait for what is being judged", async () => {
  for (let number = 0; number < 8; number += 1) void resources.turns.take(`s${number}`, () => new Promise(() => {}));
  world.store("a");
  const started = startReady();
  await afterIo();
  isStopped = true;
  stop.abort();
  await started;
  expect(world.spooled()).toEqual(["new/a.json"]);
});

test("between two starts what has come from outside is taken in", async () => {
  await resources.context(); // reads the configuration
  for (const session of ["a", "b"]) world.store(session);
  let claimedMeanwhile: number | undefined;
  setImmediate(() => {
    claimedMeanwhile = world.spooled().filter((file) => file.startsWith("cur/")).length;
  });
  await startReady();
  expect(claimedMeanwhile).toBe(1);
});

test("a suspect that runs on lets the next one start after a second", async () => {
  world.store("a", 1);
  world.store("b", 1);
  await startReady();
  await world.untilAsked("a");
  expect(dispatcher.busy).toBe(true);
  await world.untilAsked("a", "b");
  expect(performance.now() - createdAtMs).toBeGreaterThan(1_990); // the first one waited a second, too
});

test("suspects wait until nothing fresh is in flight, five seconds at most", async () => {
  world.store("fresh");
  world.store("suspect", 1);
  await startReady();
  await world.untilAsked("fresh");
  await sleep(3_000);
  expect(world.asked).toEqual(["fresh"]);
  await world.untilAsked("fresh", "suspect");
  expect(performance.now() - createdAtMs).toBeGreaterThan(5_000);
  world.store("later");
  world.store("next", 1);
  world.answer("suspect");
  world.answer("fresh");
  await expect.poll(() => dispatcher.busy).toBe(false);
  await startReady();
  await world.untilAsked("fresh", "suspect", "later");
  world.answer("later");
  await world.untilAsked("fresh", "suspect", "later", "next");
  expect(performance.now() - createdAtMs).toBeLessThan(9_000);
});

test("one death more and it would be a dead letter: such a suspect waits for all others, and they for it", async () => {
  world.store("last-chance", 2);
  world.store("suspect", 1);
  await startReady();
  await world.untilAsked("suspect");
  await sleep(1_500); // a suspect's turn, and the calm at the start, are over
  expect(world.asked).toEqual(["suspect"]);
  world.answer("suspect");
  await world.untilAsked("suspect", "last-chance");
  world.store("later", 1);
  await startReady();
  await sleep(1_500);
  await startReady();
  expect(world.asked).toEqual(["suspect", "last-chance"]);
  world.answer("last-chance");
  await expect.poll(() => dispatcher.busy).toBe(false);
  await startReady();
  await world.untilAsked("suspect", "last-chance", "later");
});

test.each([1, 2])(
  "an event over which %i workers died waits for a second of calm, not for events that are no suspects",
  async (crashes) => {
    world.store("plain");
    world.store("suspect", crashes);
    await startReady();
    await world.untilAsked("plain", "suspect");
    expect(performance.now() - createdAtMs).toBeGreaterThan(990);
  },
);

test("the end of a trial is worth a look, whatever came of it", async () => {
  world.store("suspect", 1);
  isStopped = true;
  await startReady();
  await expect.poll(() => dispatcher.busy).toBe(false);
  expect(calls).toBe(1);
  expect(world.spooled()).toEqual(["new/suspect.c1.json"]);
});

test("a suspect that cannot be claimed does not keep the next one waiting", async () => {
  world.store("a", 1);
  world.store("b", 1);
  mkdirSync(join(world.paths.spool, "cur", "a.c1.json", "in-the-way"), { recursive: true });
  await startReady();
  await world.untilAsked("b");
});
