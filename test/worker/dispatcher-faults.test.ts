import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as afterIo } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Dispatcher } from "../../src/worker/dispatcher.ts";
import { openWorkerResources } from "../../src/worker/worker-resources.ts";
import { createWorkerWorld, type WorkerWorld, watching } from "../world/worker-world.ts";

let world: WorkerWorld;
let dispatcher: Dispatcher;
let isStopped: boolean;
beforeEach(() => {
  world = createWorkerWorld();
  isStopped = false;
  const resources = openWorkerResources(world.paths, world.ports, () => isStopped);
  dispatcher = new Dispatcher(world.paths.spool, resources, { onSettled: () => {}, isStopped: () => isStopped });
});
afterEach(() => {
  isStopped = true;
  for (const session of world.asked) world.answer(session);
  world.remove();
});

const startReady = () => dispatcher.startReady(world.nowMs);
const isOver = () => expect.poll(() => dispatcher.busy).toBe(false);
const reasons = (id: string) =>
  world.journal().flatMap((line) => (line.id === id ? [`${line.status}: ${line.reason}`] : []));

test("an event over which three workers died becomes a dead letter, and the journal says why", () => {
  world.store("a", 2);
  renameSync(join(world.paths.spool, "new", "a.c2.json"), join(world.paths.spool, "cur", "a.c2.json"));
  dispatcher.recover();
  expect(world.spooled()).toEqual(["dead/a.json"]);
  expect(reasons("a")).toEqual(["failed: bug: three workers died over it; `beckon retry` tries again"]);
});

test("an event that could not be run three times becomes a dead letter, and the journal says why", async () => {
  world.store("a");
  for (const left of ["new/a.c1.json", "new/a.c2.json", "dead/a.json"]) {
    const times = world.asked.length;
    await startReady();
    await expect.poll(() => world.asked.length).toBe(times + 1);
    expect(reasons("a").filter((reason) => reason.startsWith("failed"))).toEqual([]);
    world.fail("a");
    await isOver();
    expect(world.spooled()).toEqual([left]);
  }
  expect(reasons("a").at(-1)).toBe("failed: bug: it could not be run, three times; `beckon retry` tries again");
});

test("an event that cannot be claimed is left alone for a minute, and reported the first time", async () => {
  const obstacles = ["cur/a.json", "new/a.c1.json"].map((file) => join(world.paths.spool, file));
  for (const obstacle of obstacles) mkdirSync(join(obstacle, "in-the-way"), { recursive: true });
  world.store("a");
  const claimable = (nowMs: number) => dispatcher.fresh(nowMs).map(({ id }) => id);
  await startReady();
  expect({ asked: world.asked, busy: dispatcher.busy }).toEqual({ asked: [], busy: false });
  const { nowMs } = world;
  expect([nowMs, nowMs + 59_999, nowMs + 60_000].map(claimable)).toEqual([[], [], ["a"]]);
  expect(reasons("a")).toHaveLength(1);
  world.nowMs += 60_000;
  await startReady();
  expect(claimable(world.nowMs)).toEqual([]);
  expect(reasons("a")).toEqual([
    expect.stringMatching(/^retrying: its file .* cannot be claimed \(EISDIR\); it is tried again in a minute$/),
  ]);
  for (const obstacle of obstacles) rmSync(obstacle, { recursive: true });
  world.nowMs += 60_000;
  await startReady();
  await world.untilAsked("a");
});

test("a worker that must not touch the spool claims nothing", async () => {
  world.store("a");
  isStopped = true;
  await startReady();
  expect({ spooled: world.spooled(), busy: dispatcher.busy }).toEqual({ spooled: ["new/a.json"], busy: false });
});

test("what was in flight goes back to the queue, as a suspect: it may have been sent", async () => {
  for (const session of ["a", "b"]) world.store(session);
  await startReady();
  dispatcher.releaseAll();
  expect(world.spooled()).toEqual(["new/a.c1.json", "new/b.c1.json"]);
});

const ends = {
  "was delivered": () => world.answer("a"),
  "is to wait": () => world.answer("a", watching),
  "could not be run": () => world.fail("a"),
};
test.each(Object.entries(ends))("a worker that must not touch the spool leaves what %s where it is", async (_, end) => {
  world.store("a");
  await startReady();
  await world.untilAsked("a");
  isStopped = true;
  end();
  await isOver();
  await afterIo();
  expect(world.spooled()).toEqual(["cur/a.json"]);
});
