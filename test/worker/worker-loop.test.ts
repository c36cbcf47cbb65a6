import fs, { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { setImmediate as afterIo, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Alert } from "../../src/attention/alert.ts";
import { alertFolder, readAlerts } from "../../src/attention/alert-files.ts";
import { acquire, type Lock } from "../../src/files/lock.ts";
import { putSeen } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { workerTitle } from "../../src/spool/wake.ts";
import { WakeSignal, type WorkerOptions } from "../../src/worker/worker-loop.ts";
import { startAlertmanagerServer } from "../notifiers/alertmanager-server.ts";
import { concern, makeAlert } from "../world/alerts.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { createGate, type Gate } from "../world/gate.ts";
import { WorkerWorld, watching } from "../world/worker-world.ts";

let world: WorkerWorld;
let worker: Promise<boolean>;
let hasEnded: boolean;
const [, program = ""] = process.argv;
beforeEach(() => {
  world = new WorkerWorld();
});
afterEach(async () => {
  await world.remove();
  process.argv[1] = program;
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function start(options: WorkerOptions = {}): void {
  hasEnded = false;
  const presence = { ...world.ports.presence, typedAtMs: () => world.nowMs };
  worker = world.start(options, { presence }).finally(() => {
    hasEnded = true;
  });
}
/** Advances the clock until the worker has exited. */
async function leave(): Promise<boolean> {
  await world.until(() => hasEnded);
  return worker;
}

test("hooks recognize a worker process by its title", () => {
  process.title = "another";
  start();
  expect(process.title).toBe(workerTitle);
});

test.each([
  ["a worker removes its start mark", false],
  ["a foreground run keeps the start mark of a worker", true],
])("%s", async (_, once) => {
  writeFileSync(world.paths.starting, `${process.pid}\n`);
  start({ once });
  await world.until(() => existsSync(world.paths.lock));
  expect(existsSync(world.paths.starting)).toBe(once);
});

test("a worker delivers only if it gets the lock, and says so", async () => {
  world.answerToAll = {};
  world.store("a");
  start({ once: true });
  expect(await leave()).toBe(true);
  expect(world.spooled()).toEqual([]);
  world.store("b");
  const other = await acquire(world.paths.lock, world.clock);
  start({ once: true });
  expect(await leave()).toBe(false);
  expect(world.spooled()).toEqual(["new/b.json"]);
  expect(other?.isHeld()).toBe(true);
  other?.release();
});

describe("a sleeping worker", () => {
  /** Starts a worker. Resolves when the worker sleeps; from then on, only the test advances the clock. */
  async function startAsleep() {
    const sleeps = vi.spyOn(WakeSignal.prototype, "wait");
    start();
    const asleepFor = async (ms: number) => {
      while (sleeps.mock.lastCall?.[0] !== ms) await sleep(5);
    };
    await asleepFor(500);
    return asleepFor;
  }

  test("is woken by a new event", async () => {
    await startAsleep();
    world.store("a");
    await world.untilAsked("a");
  });

  test("is woken when a launcher completes its record, not before", async () => {
    const { watch } = fs;
    let reports = 0;
    const reporting = (folder: string, listener: (kind: string, file: string | null) => void) =>
      watch(folder, (kind, file) => {
        listener(kind, file);
        reports += 1;
      });
    vi.spyOn(fs, "watch").mockImplementation(reporting as typeof fs.watch);
    syncBuiltinESMExports();
    await startAsleep();
    const onLook = vi.fn();
    world.onLook = onLook;
    const launcher = fs.openSync(join(world.paths.spool, "tmp/one"), "wx");
    fs.writeSync(launcher, '{"v":1,"event":"Stop","agent":"claude","cwd":"/"}\n{"session_id":"one"}');
    while (reports < 2) await sleep(5); // created, and written to
    await afterIo();
    expect(onLook).not.toHaveBeenCalled();
    fs.writeSync(launcher, '\n{"end":0}\n');
    fs.closeSync(launcher);
    while (world.spooled().includes("tmp/one")) await sleep(5);
  });

  test("exits at once when it is stopped", async () => {
    await startAsleep();
    await world.stop();
    expect(existsSync(world.paths.lock)).toBe(false);
  });

  test.each([
    ["", false],
    [", also while another event is in progress", true],
  ])("scans again in half a second, or sooner if something is due before%s", async (_, isBusy) => {
    if (isBusy) world.store("busy");
    const asleepFor = await startAsleep();
    world.store("a");
    await expect.poll(() => world.asked).toContain("a");
    world.answer("a", watching);
    await world.until(() => world.spooled().some((file) => /^cur\/a\.t\d+\.json$/.test(file)));
    world.nowMs = Number(/a\.t(\d+)/.exec(world.spooled().join())?.[1]) - 200;
    world.wake();
    await asleepFor(200);
  });

  test("survives a failing watch, as on Windows when its folder is deleted", async () => {
    const watch = vi.spyOn(fs, "watch");
    syncBuiltinESMExports();
    await startAsleep();
    const [watcher] = watch.mock.results.map(({ value }) => value as fs.FSWatcher);
    expect(() => watcher?.emit("error", new Error("EPERM"))).not.toThrow();
    expect(watcher).toBeDefined();
  });
});

const isLocked = () => existsSync(world.paths.lock);
/** Starts a worker with two messages in progress at a slow notifier, and a third waiting. */
async function startBusy(): Promise<Gate> {
  const gate = createGate(world.paths.root);
  world.writeConfig({ notifiers: { slow: gate.notifier }, lookups: [], delivery: { linger: "1h" } });
  for (const session of ["a", "b", "c"]) world.store(session);
  start();
  await world.until(() => world.spooled().join() === "cur/a.json,cur/b.json,cur/c.json");
  await world.until(() => gate.kindsBegun().length === 2);
  return gate;
}

describe("a worker stays", () => {
  test("until its linger time after the end of a long delivery", async () => {
    world.linger("10s");
    world.store("a");
    start();
    await world.untilAsked("a");
    await world.pass(60_000);
    world.answer("a");
    await world.until(() => world.spooled().length === 0);
    await world.pass(9_000);
    await world.looks();
    expect(hasEnded).toBe(false);
    await world.pass(2_000);
    await leave();
  });

  test("for waiting events, however short its linger time", async () => {
    world.linger("0s");
    world.answerToAll = watching;
    world.store("a");
    start();
    await world.until(() => /^cur\/a\.t/.test(world.spooled().join()));
    await world.looks();
    expect(hasEnded).toBe(false);
    await world.pass(3_600_000);
    await leave();
    expect(world.spooled()).toEqual([]);
  });

  test("in the foreground until the last delivery ends, without lingering or waiting for retries", async () => {
    world.store("waits");
    world.store("a");
    start({ once: true });
    await expect.poll(() => world.asked.length).toBe(2);
    world.answer("waits", watching);
    await world.looks();
    expect(hasEnded).toBe(false);
    world.answer("a");
    await leave();
    expect(world.spooled()).toEqual([expect.stringMatching(/^cur\/waits\.t/)]);
  });

  test("for an event that arrives after its last scan, before it releases the lock", async () => {
    world.linger("0s");
    world.answerToAll = {};
    world.onLook = () => {
      if (isLocked()) return;
      world.onLook = () => {};
      world.store("late");
    };
    start();
    await leave();
    expect({ asked: world.asked, spooled: world.spooled() }).toEqual({ asked: ["late"], spooled: [] });
    expect(isLocked()).toBe(false);
  });
});

test("an event that arrives while a worker exits goes to the new lock holder", async () => {
  world.linger("0s");
  let other: Lock | undefined;
  world.onLook = () => {
    if (isLocked()) return;
    world.store("late");
    void acquire(world.paths.lock, world.clock).then((lock) => {
      other = lock;
    });
  };
  start();
  expect(await leave()).toBe(true);
  expect({ isHeld: other?.isHeld(), spooled: world.spooled() }).toEqual({ isHeld: true, spooled: ["new/late.json"] });
  other?.release();
});

test("events in flight when a worker is stopped return to the queue", async () => {
  world.store("a");
  start();
  await world.untilAsked("a");
  await world.stop();
  expect(world.spooled()).toEqual(["new/a.c1.json"]);
});

test.each([
  ["has lost its lock", false],
  ["has lost its lock and is stopped", true],
])("a worker that %s leaves the spool unchanged and sends nothing", async (_, isStopping) => {
  world.store("a");
  start();
  await world.untilAsked("a");
  rmSync(world.paths.lock);
  writeFileSync(world.paths.lock, "1\n"); // another worker's
  if (isStopping) await world.stop();
  else await leave();
  expect(world.spooled()).toEqual(["cur/a.json"]);
  expect(readFileSync(world.paths.lock, "utf8")).toBe("1\n");
  world.answer("a"); // too late: another worker has the event now
  await world.clock.advance(1_000);
  expect(world.journal().map(({ status }) => status)).toEqual(["accepted"]);
});

describe("a worker whose program was replaced exits without lingering", () => {
  beforeEach(() => {
    process.argv[1] = join(world.paths.root, "program.js");
    writeFileSync(process.argv[1], "");
    mkdirSync(dirname(world.paths.worker), { recursive: true });
    writeFileSync(world.paths.worker, "");
  });

  const waiting = () => writeFileSync(join(world.paths.spool, "cur", `a.t${world.nowMs + 3_600_000}.json`), "");
  test.each([
    ["without a successor if nothing is left", () => {}, false],
    ["and starts a successor if there is an event", () => world.store("a"), true],
    ["and starts a successor if an event waits", waiting, true],
  ])("%s", async (_, prepare, isStarted) => {
    start();
    await world.looks();
    utimesSync(process.argv[1] ?? "", 1, 1);
    prepare();
    world.wake();
    const spooled = world.spooled();
    await leave();
    const found = { isStarted: existsSync(world.paths.starting), spooled: world.spooled(), isLocked: isLocked() };
    expect(found).toEqual({ isStarted, spooled, isLocked: false });
  });

  test("also if the program is missing", async () => {
    start();
    await world.looks();
    rmSync(process.argv[1] ?? "");
    world.wake();
    expect(await leave()).toBe(true);
  });
});

test("events waiting for a slot at a slow notifier stay claimed by the worker", async () => {
  const gate = await startBusy();
  const seen = new Set<string>();
  world.onLook = () => {
    for (const file of world.spooled()) seen.add(file);
  };
  await world.looks();
  gate.open();
  expect([...seen].toSorted()).toEqual(["cur/a.json", "cur/b.json", "cur/c.json"]);
  await world.until(() => world.spooled().length === 0);
});

const dayMs = 24 * 3_600_000;
function writeAlert(...concerns: Alert["concerns"]): void {
  const folder = alertFolder(world.paths);
  mkdirSync(folder, { recursive: true });
  const alert = makeAlert({ lastAtMs: world.nowMs, concerns });
  writeFileSync(join(folder, `${alert.key}.json`), JSON.stringify(alert));
}
const alerts = () => readAlerts(alertFolder(world.paths));

describe("between events", () => {
  test("a worker forgets sessions after a day without events", async () => {
    writeAlert();
    start();
    await world.looks();
    expect(alerts()).toHaveLength(1);
    world.nowMs += dayMs + 1;
    world.wake();
    await world.until(() => alerts().length === 0);
  });

  test("a worker whose program was replaced leaves that to its successor", async () => {
    process.argv[1] = join(world.paths.root, "program.js");
    writeFileSync(process.argv[1], "");
    writeAlert();
    start();
    await world.looks();
    utimesSync(process.argv[1], 1, 1);
    world.nowMs += dayMs + 1;
    world.wake();
    await leave();
    expect(alerts()).toHaveLength(1);
  });

  const request = () => concern("a", { atMs: world.nowMs - 60_000, event: { message: "May I?" } });
  test("a worker notices that the user has typed", async () => {
    writeAlert(request());
    start();
    await world.until(() => alerts()[0]?.concerns[0]?.state === "acknowledged");
  });

  test("a foreground run ignores typing but still forgets old sessions", async () => {
    writeAlert(request());
    start({ once: true });
    await leave();
    expect(alerts()[0]?.concerns[0]?.state).toBe("ringing");
    writeAlert();
    world.nowMs += dayMs + 1;
    start({ once: true });
    await leave();
    expect(alerts()).toEqual([]);
  });

  test("a worker repeats open alerts at a receiver that forgets, and a foreground run does not", async () => {
    const node = await startAlertmanagerServer();
    onTestFinished(() => node.close());
    world.writeConfig({ notifiers: { ops: { type: "alertmanager", ...node.settings } }, delivery: { linger: "1h" } });
    const sent = { group: "g", atMs: world.nowMs - 60_000, receipt: { session: "0123456789ab", kind: "needs-you" } };
    writeAlert({ ...request(), messages: { ops: [sent] } });
    start({ once: true });
    await leave();
    expect(node.alerts()).toEqual([]);
    start();
    await world.until(() => node.alerts().length > 0);
    expect(node.alerts()).toMatchObject([{ annotations: { description: "May I?" } }]);
  });
});

describe("the file for status bars", () => {
  const file = () => join(world.paths.state, "waiting");
  const firstLine = () => (existsSync(file()) ? readFileSync(file(), "utf8").split("\n")[0] : undefined);
  const shop = expect.stringMatching(/^1 (?:waiting|done): shop \d\d:\d\d$/);

  test("is written after the first message or in half a second, and again when the user has seen it", async () => {
    world.store("a");
    start();
    await world.untilAsked("a");
    expect(firstLine()).toBeUndefined();
    await world.until(() => firstLine() !== undefined);
    expect([firstLine(), world.spooled()]).toEqual([shop, ["cur/a.json"]]);
    world.answer("a");
    putSeen(world.paths.spool, alerts()[0] as Alert);
    await world.until(() => firstLine() === "");
  });

  test.each([
    ["leaves", leave],
    ["is stopped", () => world.stop()],
  ])("that a dead worker left is right after the next one, and when a replaced worker %s", async (_, end) => {
    process.argv[1] = join(world.paths.root, "program.js");
    writeFileSync(process.argv[1], "");
    mkdirSync(world.paths.state);
    writeFileSync(file(), "7 waiting: api 03:00\n");
    start();
    await world.until(() => firstLine() === "");
    utimesSync(process.argv[1], 1, 1);
    writeAlert(concern("a", { atMs: world.nowMs }));
    await end();
    expect(firstLine()).toEqual(shop);
  });
});

/** Writes a file that has this age by the world's clock. */
function write(path: string, ageMs: number): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  const atSeconds = (world.nowMs - ageMs) / 1000;
  utimesSync(path, atSeconds, atSeconds);
  return path;
}
const deadLetter = (id: string) => write(join(world.paths.spool, "dead", `${id}.json`), 31 * dayMs);

test("a starting worker sweeps leftover files", async () => {
  for (let month = 1; month <= 12; month += 1)
    write(join(world.paths.journal, `2021-${String(month).padStart(2, "0")}.jsonl`), 0);
  const lockFile = write(`${world.paths.lock}.left-behind`, 3_600_000);
  const files = [deadLetter("a"), lockFile, write(join(world.paths.journal, "2020-01.jsonl"), 0)];
  start({ once: true });
  await leave();
  expect(files.filter((path) => existsSync(path))).toEqual([]);
});

test("an event evicted from a full spool is journalled with its name and agent", async () => {
  world.answerToAll = {};
  const dayAgo = world.nowMs / 1000 - 86_400;
  const record = encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from('{"hook_event_name":"Stop"}'));
  for (let number = 0; number < 1002; number += 1) {
    const file = join(world.paths.spool, "cur", `e${number}.t${world.nowMs + 3_600_000}.json`);
    writeFileSync(file, record);
    utimesSync(file, dayAgo + number, dayAgo + number);
  }
  start({ once: true });
  await leave();
  const line = { event: "Stop", agent: "claude", reason: "evicted: the spool is full" };
  const expired = world.journal().filter(({ status }) => status === "expired");
  expect(expired).toMatchObject(["e0", "e1"].map((id) => ({ id, ...line })));
  expect(world.spooled()).toHaveLength(1_000);
});

test("a worker sweeps once a minute", async () => {
  start();
  await world.looks();
  const path = deadLetter("a");
  world.nowMs += 59_999;
  await world.looks();
  expect(existsSync(path)).toBe(true);
  world.nowMs += 1;
  await world.looks();
  expect(existsSync(path)).toBe(false);
  const next = deadLetter("b");
  world.nowMs += 59_999;
  await world.looks();
  expect(existsSync(next)).toBe(true);
});

test("a notification ends the present or the next wait, and leaves no timer behind", async () => {
  const clock = new FakeClock();
  const signal = new WakeSignal(clock);
  const hasEnded = (wait: Promise<boolean>) => Promise.race([wait.then(() => true), afterIo(false)]);
  signal.notify();
  expect(await hasEnded(signal.wait(60_000))).toBe(true);
  const second = signal.wait(60_000);
  expect(await hasEnded(second)).toBe(false);
  signal.notify();
  expect([await second, clock.nextMs]).toEqual([true, undefined]);
  const third = signal.wait(500);
  await clock.advance(499);
  expect(await hasEnded(third)).toBe(false);
  await clock.advance(1);
  expect(await third).toBe(false);
});
