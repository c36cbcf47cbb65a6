import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acquire, type Lock } from "../../src/spool/lock.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import type { WorkerOptions } from "../../src/worker/worker-loop.ts";
import { createGate, type Gate } from "../world/gate.ts";
import { createWorkerWorld, type WorkerWorld, watching } from "../world/worker-world.ts";

let world: WorkerWorld;
let stop: AbortController;
let worker: Promise<boolean>;
let hasEnded: boolean;
const [, program = ""] = process.argv;
beforeEach(() => {
  world = createWorkerWorld();
  stop = new AbortController();
  hasEnded = false;
});
afterEach(async () => {
  world.answerToAll = {};
  stop.abort();
  await worker.catch(() => {});
  process.argv[1] = program;
  world.remove();
});

function start(options: WorkerOptions = {}): void {
  worker = runWorker(world.paths, world.ports, { signal: stop.signal, ...options }).finally(() => {
    hasEnded = true;
  });
}

const isLocked = () => existsSync(world.paths.lock);
/** Puts another worker's lock in the place of this one's. */
function loseLock(): void {
  rmSync(world.paths.lock);
  writeFileSync(world.paths.lock, "1\n");
}

/** Starts a worker with two messages under way at a slow notifier, and one that waits for these. */
async function startBusy(): Promise<Gate> {
  const gate = createGate(world.paths.root);
  world.writeConfig({ notifiers: { slow: gate.notifier }, lookups: [], delivery: { linger: "1h" } });
  for (const session of ["a", "b", "c"]) world.store(session);
  start();
  await expect.poll(() => world.spooled()).toEqual(["cur/a.json", "cur/b.json", "cur/c.json"]);
  await expect.poll(() => gate.kindsBegun().length).toBe(2);
  return gate;
}

describe("a worker stays", () => {
  test("while it lingers, from the end of a long delivery on", async () => {
    world.linger("10s");
    world.store("a");
    start();
    await world.untilAsked("a");
    world.nowMs += 60_000;
    await world.looks();
    world.answer("a");
    await expect.poll(() => world.spooled()).toEqual([]);
    world.nowMs += 9_000;
    await world.looks();
    expect(hasEnded).toBe(false);
    world.nowMs += 2_000;
    await worker;
  });

  test("for what waits, however short it lingers", async () => {
    world.linger("0s");
    world.answerToAll = watching;
    world.store("a");
    start();
    await expect.poll(() => world.spooled()).toEqual([expect.stringMatching(/^cur\/a\.t/)]);
    await world.looks();
    expect(hasEnded).toBe(false);
    world.nowMs += 3_600_000;
    await worker;
    expect(world.spooled()).toEqual([]);
  });

  test("in the foreground until the last delivery is over, but not for what waits, nor does it linger", async () => {
    world.store("waits");
    world.store("a");
    start({ once: true });
    await expect.poll(() => world.asked.length).toBe(2);
    world.answer("waits", watching);
    await world.looks();
    expect(hasEnded).toBe(false);
    world.answer("a");
    await worker;
    expect(world.spooled()).toEqual([expect.stringMatching(/^cur\/waits\.t/)]);
  });

  test("for an event that came after its last look and before it gave the lock away", async () => {
    world.linger("0s");
    world.answerToAll = {};
    world.onLook = () => {
      if (isLocked()) return;
      world.onLook = () => {};
      world.store("late");
    };
    start();
    await worker;
    expect({ asked: world.asked, spooled: world.spooled() }).toEqual({ asked: ["late"], spooled: [] });
    expect(isLocked()).toBe(false);
  });
});

test("an event that came while a worker left is another's that has the lock by then", async () => {
  world.linger("0s");
  let other: Lock | undefined;
  world.onLook = () => {
    if (isLocked()) return;
    world.store("late");
    other = acquire(world.paths.lock, { clock: world.ports.clock });
  };
  start();
  expect(await worker).toBe(true);
  expect({ isHeld: other?.isHeld(), spooled: world.spooled() }).toEqual({ isHeld: true, spooled: ["new/late.json"] });
  other?.release();
});

test("what is in flight when a worker is told to stop goes back to the queue", async () => {
  world.store("a");
  start();
  await world.untilAsked("a");
  stop.abort();
  await worker;
  expect(world.spooled()).toEqual(["new/a.c1.json"]);
});

test.each([
  ["has lost its lock", false],
  ["has lost its lock and is told to stop", true],
])("a worker that %s leaves the spool as it is, and sends nothing any more", async (_, isTold) => {
  world.store("a");
  start();
  await world.untilAsked("a");
  loseLock();
  if (isTold) stop.abort();
  else world.wake();
  await worker;
  expect(world.spooled()).toEqual(["cur/a.json"]);
  world.answer("a"); // too late: another worker has the event now
  await sleep(300);
  expect(world.journal().map(({ status }) => status)).toEqual(["accepted"]);
});

describe("a worker whose program was replaced leaves, however long it would linger", () => {
  beforeEach(() => {
    process.argv[1] = join(world.paths.root, "program.js");
    writeFileSync(process.argv[1], "");
    mkdirSync(dirname(world.paths.worker), { recursive: true });
    writeFileSync(world.paths.worker, "");
  });

  const waiting = () => writeFileSync(join(world.paths.spool, "cur", `a.t${world.nowMs + 3_600_000}.json`), "");
  test.each([
    ["without a successor where nothing is left", () => {}, false],
    ["and starts a successor where there is an event", () => world.store("a"), true],
    ["and starts a successor where an event waits", waiting, true],
  ])("%s", async (_, prepare, isStarted) => {
    start();
    await world.looks();
    utimesSync(process.argv[1] ?? "", 1, 1);
    prepare();
    world.wake();
    const before = world.spooled();
    await worker;
    expect({ isStarted: existsSync(world.paths.starting), spooled: world.spooled() }).toEqual({
      isStarted,
      spooled: before,
    });
    expect(isLocked()).toBe(false);
  });

  test("once what is under way is over; what waits for its turn goes back to the spool", async () => {
    const gate = await startBusy();
    utimesSync(process.argv[1] ?? "", 1, 1);
    world.wake();
    const returned = expect.stringMatching(/^cur\/c\.t/);
    await expect.poll(() => world.spooled()).toEqual(["cur/a.json", "cur/b.json", returned]);
    gate.open();
    await worker;
    expect(world.spooled()).toEqual([returned]);
  });

  test("also while there is no program", async () => {
    start();
    await world.looks();
    rmSync(process.argv[1] ?? "");
    world.wake();
    expect(await worker).toBe(true);
  });
});

test("what waits for its turn at a slow notifier stays in the worker's hands", async () => {
  const gate = await startBusy();
  const seen = new Set<string>();
  world.onLook = () => {
    for (const file of world.spooled()) seen.add(file);
  };
  await world.looks();
  gate.open();
  expect([...seen].toSorted()).toEqual(["cur/a.json", "cur/b.json", "cur/c.json"]);
  await expect.poll(() => world.spooled()).toEqual([]);
});
