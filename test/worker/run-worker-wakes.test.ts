import fs, { existsSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { acquire } from "../../src/spool/lock.ts";
import { workerTitle } from "../../src/spool/wake.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import type { WorkerOptions } from "../../src/worker/worker-loop.ts";
import { createWorkerWorld, type WorkerWorld, watching } from "../world/worker-world.ts";

let world: WorkerWorld;
let stop: AbortController;
let workers: Promise<boolean>[];
beforeEach(() => {
  world = createWorkerWorld();
  stop = new AbortController();
  workers = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.allSettled(workers);
  vi.restoreAllMocks();
  vi.useRealTimers();
  syncBuiltinESMExports();
  world.remove();
});

function start(options: WorkerOptions = {}): Promise<boolean> {
  const worker = runWorker(world.paths, world.ports, { signal: stop.signal, ...options });
  workers.push(worker);
  return worker;
}

test("hooks know a worker's process by its title", () => {
  process.title = "another";
  void start();
  expect(process.title).toBe(workerTitle);
});

test.each([
  ["a worker removes the mark of its start", false],
  ["a run in the foreground leaves the mark of a worker's start", true],
])("%s", (_, once) => {
  writeFileSync(world.paths.starting, `${process.pid}\n`);
  void start({ once });
  expect(existsSync(world.paths.starting)).toBe(once);
});

test("a worker that has the lock delivers and says so; one that finds it held does nothing and says so", async () => {
  world.answerToAll = {};
  world.store("a");
  expect(await start({ once: true })).toBe(true);
  expect(world.spooled()).toEqual([]);
  world.store("b");
  const other = acquire(world.paths.lock, { clock: world.ports.clock });
  expect(await start({ once: true })).toBe(false);
  expect(world.spooled()).toEqual(["new/b.json"]);
  expect(other?.isHeld()).toBe(true);
  other?.release();
});

describe("a worker that sleeps", () => {
  /** In place of `expect.poll`, at whose every look time passes for timers that stand still. */
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await sleep(5);
  }

  /** Neither its own next look comes nor its heartbeat: no timer of this process ends unless the test says so. */
  async function startAsleep() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const timers = vi.spyOn(globalThis, "setTimeout");
    const worker = start();
    await until(() => vi.getTimerCount() === 3); // the heartbeat, the look at launchers that read, and the sleep
    return { worker, sleepMs: () => timers.mock.lastCall?.[1] };
  }

  test("is woken by a new event", async () => {
    await startAsleep();
    world.store("a");
    await until(() => world.asked.includes("a"));
  });

  test("is woken by a launcher that ends its record, and by none that has not yet", async () => {
    await startAsleep();
    const looks = vi.spyOn(fs, "readdirSync");
    syncBuiltinESMExports();
    const launcher = fs.openSync(join(world.paths.spool, "tmp/one"), "wx");
    fs.writeSync(launcher, '{"v":1,"event":"Stop","agent":"claude","cwd":"/"}\n{"session_id":"one"}');
    await sleep(100);
    expect(looks).not.toHaveBeenCalled();
    fs.writeSync(launcher, '\n{"end":0}\n');
    fs.closeSync(launcher);
    await until(() => !world.spooled().includes("tmp/one"));
  });

  test("leaves at once when it is told to stop", async () => {
    const { worker } = await startAsleep();
    stop.abort();
    await worker;
    expect(existsSync(world.paths.lock)).toBe(false);
  });

  test("looks again in half a second, and in less where something is due before", async () => {
    const { sleepMs } = await startAsleep();
    expect(sleepMs()).toBe(500);
    world.store("a");
    await until(() => world.asked.includes("a"));
    world.answer("a", watching);
    await until(() => world.spooled().some((file) => /^cur\/a\.t\d+\.json$/.test(file)));
    world.nowMs = Number(/\d+/.exec(world.spooled()[0] ?? "")) - 200;
    world.wake();
    await until(() => sleepMs() !== 500);
    expect(sleepMs()).toBe(200);
  });

  test("is none the worse for a watch that fails, as on Windows where its folder is deleted", async () => {
    const watch = vi.spyOn(fs, "watch");
    syncBuiltinESMExports();
    await startAsleep();
    const [watcher] = watch.mock.results.map(({ value }) => value as fs.FSWatcher);
    expect(() => watcher?.emit("error", new Error("EPERM"))).not.toThrow();
    expect(watcher).toBeDefined();
  });
});
