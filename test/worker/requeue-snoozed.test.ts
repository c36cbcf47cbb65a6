import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { changeSnooze } from "../../src/actions/snooze.ts";
import { silencesFile, writeSilences } from "../../src/attention/silences.ts";
import type { Delivery } from "../../src/pipeline/run-state.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { Dispatcher, requeueSnoozed } from "../../src/worker/dispatcher.ts";
import { openWorkerResources } from "../../src/worker/worker-resources.ts";
import { WorkerWorld, watching } from "../world/worker-world.ts";

let world: WorkerWorld;
beforeEach(() => {
  world = new WorkerWorld();
});
afterEach(() => world.remove());

/**
 * Stores an event that waits for an hour with these deliveries. Returns its file name, and the file name that it would
 * have if it were due.
 */
function wait(...deliveries: Partial<Delivery>[]): { readonly file: string; readonly due: string } {
  const { nowMs } = world;
  const entries = deliveries.map((delivery, index) => [`mine#${index}`, { status: "open", attempts: 0, ...delivery }]);
  const run = { atMs: nowMs, freshAtMs: nowMs, kind: "finished", facts: {} };
  const state = { ...run, deliveries: Object.fromEntries(entries) };
  const [file, due] = [nowMs + 3_600_000, nowMs].map((dueAtMs) => `cur/a.t${dueAtMs}.json`) as [string, string];
  const payload = Buffer.from('{"hook_event_name":"Stop","session_id":"a","cwd":"/home/dev/shop"}');
  writeFileSync(join(world.paths.spool, file), encodeRecord({ v: 1, event: "Stop", agent: "claude", state }, payload));
  return { file, due };
}

const silenced = { heldFor: "silence" } as const;

describe("when snoozes or quiet hours have changed", () => {
  test.each<[string, "due" | "file", ...Partial<Delivery>[]]>([
    ["held by a snooze is due now", "due", silenced],
    ["held by a snooze at one notifier and delivered at another is due now", "due", { status: "sent" }, silenced],
    ["waiting for a retry keeps its time", "file", { attempts: 1 }],
    ["held because the user is present keeps its time", "file", { heldFor: "watching" }],
    ["delivered after a snooze keeps its time", "file", { ...silenced, status: "sent" }, { attempts: 1 }],
  ])("an event %s", (_, left, ...deliveries) => {
    const files = wait(...deliveries);
    requeueSnoozed(world.paths.spool, world.nowMs);
    expect(world.spooled()).toEqual([files[left]]);
  });

  test("a torn record, or one without state, keeps its time", () => {
    const { nowMs, paths } = world;
    const files = ["torn", "fresh"].map((id) => `cur/${id}.t${nowMs + 3_600_000}.json`);
    const contents = ["", encodeRecord({ v: 1, event: "Stop" }, Buffer.from("{}"))];
    for (const [index, file] of files.entries()) writeFileSync(join(paths.spool, file), contents[index] ?? "");
    requeueSnoozed(paths.spool, nowMs);
    expect(world.spooled()).toEqual(files.toSorted());
  });
});

/** Starts a dispatcher that has scanned once. */
async function startDispatcher(isStopped = (): boolean => false): Promise<Dispatcher> {
  const resources = openWorkerResources(world.paths, world.ports, isStopped);
  const dispatcher = new Dispatcher(world.paths.spool, resources, { onSettled: () => {}, isStopped });
  await dispatcher.startReady(world.nowMs);
  return dispatcher;
}

test("a dispatcher releases held events only if snoozes or the configuration have changed", async () => {
  const dispatcher = await startDispatcher(() => true);
  const { file, due } = wait(silenced);
  await dispatcher.startReady(world.nowMs);
  expect(world.spooled()).toEqual([file]);
  world.writeConfig({ notifiers: {} });
  await dispatcher.startReady(world.nowMs);
  expect(world.spooled()).toEqual([due]);
});

test.each([
  ["is decided again if snoozes changed after its decision", true],
  ["keeps its time while snoozes are unchanged", false],
])("a waiting event %s", async (_, isChanged) => {
  world.store("a");
  const dispatcher = await startDispatcher();
  await world.untilAsked("a");
  if (isChanged) world.linger("7s"); // a configuration change
  await dispatcher.startReady(world.nowMs);
  world.answer("a", watching);
  const { nowMs } = world;
  await expect.poll(() => world.spooled().join()).toMatch(/^cur\/a\.t\d+\.json$/);
  const inMs = Number(/\d+/.exec(world.spooled()[0] ?? "")) - nowMs;
  if (isChanged) expect(inMs).toBe(0);
  else expect(inMs).toBeGreaterThan(1_800_000);
});

describe("for a user who snoozes, and a lingering worker", () => {
  const mine = () => ({ type: "file", path: join(world.paths.root, "messages.txt"), for: "person" });
  const configure = (notifiers: object, quiet: readonly object[] = []): void =>
    world.writeConfig({ notifiers, attention: { wait: "0s", quiet }, delivery: { linger: "1h" } });
  const snooze = async (time: string, notifier?: string) =>
    (await changeSnooze(time, notifier === undefined ? {} : { notifier }, world.paths, world.nowMs)).messages;
  const readLines = (status: string) =>
    world.journal().filter((line) => line.status === status && line.notifier === "mine");
  const isHeld = () => world.spooled().some((file) => /^cur\/.*\.t\d+\.json$/.test(file));
  const isSent = () => readLines("sent").length === 1;

  /** Has a worker read a question. */
  function ask(): void {
    world.answerToAll = {};
    world.fire({ hook_event_name: "Notification", session_id: "s-1", cwd: "/home/me/shop", message: "may I push?" });
    void world.start();
  }

  test("changing a snooze reschedules held messages, and cancelling it releases them", async () => {
    configure({ mine: mine() });
    await snooze("2h");
    ask();
    await world.until(() => readLines("held").length === 1);
    await snooze("1h");
    await world.until(() => readLines("held").length === 2);
    const [first, second] = readLines("held");
    expect(Date.parse(first?.until ?? "") - Date.parse(second?.until ?? "")).toBeGreaterThan(3_500_000);
    expect(readLines("sent")).toEqual([]);
    expect(await snooze("off")).toEqual(["Resumed. Held notifications arrive now."]);
    await world.until(isSent);
    await world.until(() => world.spooled().length === 0);
  });

  test("cancelling a snooze releases what another worker held", async () => {
    configure({ mine: mine() });
    await snooze("2h");
    ask();
    await world.until(isHeld);
    await world.stop();
    writeSilences(silencesFile(world.paths), []);
    void world.start();
    await world.until(isSent);
  });

  test("cancelling a snooze releases an event while another of its deliveries is in progress", async () => {
    const answers: ServerResponse[] = [];
    const server = createServer((request, response) => {
      request.resume();
      answers.push(response);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    configure({ mine: mine(), slow: { type: "webhook", url } });
    await snooze("2h", "mine");
    ask();
    await world.until(() => answers.length === 1);
    await snooze("off");
    await world.looks();
    answers[0]?.end();
    await world.until(isSent);
  });

  test("removing quiet hours from the configuration releases their events", async () => {
    const always = ["00:00-12:00", "12:00-00:00"].map((at) => ({ at, hold: ["needs-you"] }));
    configure({ mine: mine() }, always);
    ask();
    await world.until(() => readLines("held").length === 1);
    configure({ mine: mine() });
    await world.until(isSent);
  });
});
