import { existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Alert } from "../../src/attention/alert.ts";
import { alertFolder, readAlerts } from "../../src/attention/alert-files.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import type { WorkerOptions } from "../../src/worker/worker-loop.ts";
import { startAlertmanagerServer } from "../notifiers/alertmanager-server.ts";
import { eventAt } from "../world/arriving-events.ts";
import { createWorkerWorld, type WorkerWorld } from "../world/worker-world.ts";

let world: WorkerWorld;
let stop: AbortController;
let worker: Promise<boolean>;
const [, program = ""] = process.argv;
beforeEach(() => {
  world = createWorkerWorld();
  world.answerToAll = {};
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await worker;
  process.argv[1] = program;
  world.remove();
});

function start(options: WorkerOptions = {}): void {
  const presence = { ...world.ports.presence, typedAtMs: () => world.nowMs };
  worker = runWorker(world.paths, { ...world.ports, presence }, { signal: stop.signal, ...options });
}

const dayMs = 24 * 3_600_000;
const key = "0123456789abcdef0123456789abcdef";
function writeAlert(concerns: Alert["concerns"] = []): void {
  const folder = alertFolder(world.paths);
  mkdirSync(folder, { recursive: true });
  const alert: Alert = {
    v: 1,
    key,
    agent: "claude",
    project: "shop",
    lastAtMs: world.nowMs,
    lastEvent: "Notification",
    concerns,
  };
  writeFileSync(join(folder, `${key}.json`), JSON.stringify(alert));
}
const alerts = () => readAlerts(alertFolder(world.paths));

describe("between events", () => {
  test("a worker forgets a session of which nothing was heard for a day", async () => {
    writeAlert();
    start();
    await world.looks();
    expect(alerts()).toHaveLength(1);
    world.nowMs += dayMs + 1;
    world.wake();
    await expect.poll(alerts).toEqual([]);
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
    await worker;
    expect(alerts()).toHaveLength(1);
  });

  const request = (): Alert["concerns"] => [
    {
      id: "a",
      atMs: world.nowMs - 60_000,
      kind: "needs-you",
      state: "ringing",
      calls: [],
      event: {} as Alert["concerns"][number]["event"],
      facts: {},
      told: {},
    },
  ];
  test("a worker sees that the person has typed", async () => {
    writeAlert(request());
    start();
    await expect.poll(() => alerts()[0]?.concerns[0]?.state).toBe("acknowledged");
  });

  test("a run in the foreground looks for no such signs, but forgets what is old", async () => {
    writeAlert(request());
    start({ once: true });
    await worker;
    expect(alerts()[0]?.concerns[0]?.state).toBe("ringing");
    writeAlert();
    world.nowMs += dayMs + 1;
    start({ once: true });
    await worker;
    expect(alerts()).toEqual([]);
  });

  test("a worker repeats what is open still at a receiver that forgets; a run in the foreground does not", async () => {
    const node = await startAlertmanagerServer();
    onTestFinished(() => node.close());
    world.writeConfig({ notifiers: { ops: { type: "alertmanager", ...node.settings } }, delivery: { linger: "1h" } });
    const [asked] = request();
    const event = eventAt("PermissionRequest", 0, { message: "May I?" });
    const told = { group: "g", atMs: world.nowMs - 60_000, receipt: { session: "0123456789ab", kind: "needs-you" } };
    writeAlert(asked && [{ ...asked, event, told: { ops: [told] } }]);
    start({ once: true });
    await worker;
    expect(node.alerts()).toEqual([]);
    start();
    await expect.poll(() => node.alerts()).toMatchObject([{ annotations: { description: "May I?" } }]);
  });
});

test("what a dead worker had claimed is delivered by the next one", async () => {
  world.store("a");
  renameSync(join(world.paths.spool, "new", "a.json"), join(world.paths.spool, "cur", "a.json"));
  start({ once: true });
  await worker;
  expect({ asked: world.asked, spooled: world.spooled() }).toEqual({ asked: ["a"], spooled: [] });
});

test("what a worker knows of the last events outlives it", async () => {
  world.store("a");
  start({ once: true });
  await worker;
  expect(readFileSync(join(world.paths.state, "recent.json"), "utf8")).toContain('"session":"a"');
});

/** A file that is as old as is said, by the world's clock. */
function write(path: string, ageMs: number): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  const atSeconds = (world.nowMs - ageMs) / 1000;
  utimesSync(path, atSeconds, atSeconds);
  return path;
}
const deadLetter = (id: string) => write(join(world.paths.spool, "dead", `${id}.json`), 31 * dayMs);

test("a worker that starts clears away what nobody needs any more", async () => {
  for (let month = 1; month <= 12; month += 1)
    write(join(world.paths.journal, `2021-${String(month).padStart(2, "0")}.jsonl`), 0);
  const files = {
    deadLetter: deadLetter("a"),
    lockFile: write(`${world.paths.lock}.left-behind`, 3_600_000),
    journal: write(join(world.paths.journal, "2020-01.jsonl"), 0),
  };
  start({ once: true });
  await worker;
  expect(Object.entries(files).filter(([, path]) => existsSync(path))).toEqual([]);
});

test("a worker does so once a minute", async () => {
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
