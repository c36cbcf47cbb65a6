import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setImmediate as afterIo } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, type Mock, test, vi } from "vitest";
import { changeSnooze } from "../../src/actions/snooze.ts";
import { silencesFile } from "../../src/attention/silences.ts";
import { writeStateFile } from "../../src/files/atomic-file.ts";
import type { Delivery } from "../../src/pipeline/run-state.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { Dispatcher, requeueSnoozed } from "../../src/worker/dispatcher.ts";
import { openWorkerResources, type WorkerResources } from "../../src/worker/worker-resources.ts";
import { createGate, type Gate } from "../world/gate.ts";
import { listen as listenLocally } from "../world/listen.ts";
import { openReceiver, type Receiver } from "../world/receiver.ts";
import { WorkerWorld, watching } from "../world/worker-world.ts";

let world: WorkerWorld;
beforeEach(() => {
  world = new WorkerWorld();
});

describe("a dispatcher", () => {
  let resources: WorkerResources;
  let dispatcher: Dispatcher;
  let stop: AbortController;
  let isStopped: boolean;
  /** Callback for when the dispatcher wants the spool scanned. */
  let onSettled: Mock<() => void>;
  beforeEach(() => {
    stop = new AbortController();
    isStopped = false;
    onSettled = vi.fn();
    resources = openWorkerResources(world.paths, world.ports, () => isStopped);
    const options = { onSettled, isStopped: () => isStopped, signal: stop.signal };
    dispatcher = new Dispatcher(world.paths.spool, resources, options);
  });
  afterEach(() => {
    isStopped = true;
    stop.abort();
  });

  const startReady = () => dispatcher.startReady(world.nowMs);
  const isIdle = () => world.until(() => !dispatcher.busy);

  test("an idle dispatcher says so, is not busy and requests no scan", async () => {
    expect(await startReady()).toBe(false);
    await afterIo();
    expect({ calls: onSettled.mock.calls, busy: dispatcher.busy }).toEqual({ calls: [], busy: false });
  });

  test("a dispatcher is busy from the first event's start until the last one is settled", async () => {
    world.store("a");
    expect(await startReady()).toBe(true);
    expect(dispatcher.busy).toBe(true);
    await world.untilAsked("a");
    world.answer("a");
    await world.until(() => world.spooled().length === 0);
    await isIdle();
  });

  test("a scan is requested when an event must wait and when the last one is settled", async () => {
    for (const session of ["done", "waits", "fails", "last"]) world.store(session);
    await startReady();
    await world.until(() => world.asked.length === 4);
    const settled = [];
    const ends = {
      ...{ done: () => world.answer("done"), waits: () => world.answer("waits", watching) },
      ...{ fails: () => world.fail("fails"), last: () => world.answer("last") },
    };
    for (const [session, end] of Object.entries(ends)) {
      end();
      await world.until(() => !world.spooled().includes(`cur/${session}.json`));
      await afterIo();
      settled.push(`${session} ${onSettled.mock.calls.length}`);
    }
    expect(settled).toEqual(["done 0", "waits 1", "fails 2", "last 3"]);
  });

  test("no event starts while eight are being prepared", async () => {
    const ends = Array.from({ length: 8 }, (_, number) => {
      let end = (): void => {};
      void resources.turns.run(`s${number}`, () => new Promise<void>((resolve) => (end = resolve)));
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

  test("a stopping dispatcher does not wait for events in preparation", async () => {
    for (let number = 0; number < 8; number += 1) void resources.turns.run(`s${number}`, () => new Promise(() => {}));
    world.store("a");
    const started = startReady();
    await afterIo();
    isStopped = true;
    stop.abort();
    await started;
    expect(world.spooled()).toEqual(["new/a.json"]);
  });

  test("pending I/O runs between two starts", async () => {
    await resources.context(); // reads the configuration
    for (const session of ["a", "b"]) world.store(session);
    let claimedMeanwhile: number | undefined;
    setImmediate(() => (claimedMeanwhile = world.spooled().filter((file) => file.startsWith("cur/")).length));
    await startReady();
    expect(claimedMeanwhile).toBe(1);
  });

  test("crash retries start after one second of uptime, then one a second", async () => {
    for (const session of ["a", "b"]) world.store(session, 1);
    await startReady();
    await world.clock.advance(999);
    expect(world.asked).toEqual([]);
    await world.clock.advance(1);
    await world.untilAsked("a");
    expect(dispatcher.busy).toBe(true);
    await world.clock.advance(999);
    expect(world.asked).toEqual(["a"]);
    await world.clock.advance(1);
    await world.untilAsked("a", "b");
  });

  test("crash retries wait until no fresh event is in flight, five seconds at most", async () => {
    world.store("fresh");
    world.store("crashed", 1);
    await startReady();
    await world.untilAsked("fresh");
    await world.clock.advance(5_999); // one second of uptime, and five
    expect(world.asked).toEqual(["fresh"]);
    await world.clock.advance(1);
    await world.untilAsked("fresh", "crashed");
    world.store("later");
    world.store("next", 1);
    world.answer("crashed");
    world.answer("fresh");
    await isIdle();
    const sinceMs = world.nowMs;
    await startReady();
    await world.untilAsked("fresh", "crashed", "later");
    world.answer("later");
    await world.until(() => world.asked.includes("next"));
    expect(world.nowMs - sinceMs).toBeLessThan(4_000);
  });

  test("a last-chance retry runs alone", async () => {
    world.store("last-chance", 2);
    world.store("crashed", 1);
    await startReady();
    await world.clock.advance(1_000);
    await world.untilAsked("crashed");
    await world.clock.advance(1_500); // longer than the interval between crash retries
    expect(world.asked).toEqual(["crashed"]);
    world.answer("crashed");
    await world.until(() => world.asked.length === 2);
    world.store("later", 1);
    await startReady();
    await world.clock.advance(1_500);
    await startReady();
    expect(world.asked).toEqual(["crashed", "last-chance"]);
    world.answer("last-chance");
    await isIdle();
    await startReady();
    await world.until(() => world.asked.length === 3);
    expect(world.asked).toEqual(["crashed", "last-chance", "later"]);
  });

  test.each([1, 2])("an event with %i crashes waits for one second of uptime, and others do not", async (crashes) => {
    world.answerToAll = {};
    world.store("plain");
    world.store("crashed", crashes);
    await startReady();
    await expect.poll(() => world.clock.advance(0).then(() => world.spooled())).toHaveLength(1);
    await world.clock.advance(999 - world.clock.uptimeMs());
    expect(world.asked).toEqual(["plain"]);
    await world.clock.advance(1);
    await world.untilAsked("plain", "crashed");
  });

  test("the end of a crash retry requests a scan, whatever its result", async () => {
    world.store("crashed", 1);
    isStopped = true;
    await startReady();
    await isIdle();
    expect(onSettled).toHaveBeenCalledTimes(1);
    expect(world.spooled()).toEqual(["new/crashed.c1.json"]);
  });

  test("a crash retry that cannot be claimed does not delay the next one", async () => {
    world.store("a", 1);
    world.store("b", 1);
    mkdirSync(join(world.paths.spool, "cur", "a.c1.json", "in-the-way"), { recursive: true });
    await startReady();
    await world.until(() => world.asked.includes("b"));
  });

  const reasons = (id: string) =>
    world.journal().flatMap((line) => (line.id === id ? [`${line.status}: ${line.reason}`] : []));

  test("an event that fails to run three times becomes a dead letter, and the journal says why", async () => {
    world.store("a");
    for (const left of ["new/a.c1.json", "new/a.c2.json", "dead/a.json"]) {
      const times = world.asked.length;
      await startReady();
      await world.until(() => world.asked.length > times);
      expect(reasons("a").filter((reason) => reason.startsWith("failed"))).toEqual([]);
      world.fail("a");
      await isIdle();
      expect(world.spooled()).toEqual([left]);
    }
    expect(reasons("a").at(-1)).toBe("failed: bug: it could not be run, three times; `beckon retry` tries again");
  });

  test("an event that cannot be claimed is left for a minute and reported once", async () => {
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

  test("a worker that has lost the spool claims nothing", async () => {
    world.store("a");
    isStopped = true;
    await startReady();
    expect({ spooled: world.spooled(), busy: dispatcher.busy }).toEqual({ spooled: ["new/a.json"], busy: false });
  });

  const ends = {
    "was delivered": () => world.answer("a"),
    "is to wait": () => world.answer("a", watching),
    "could not be run": () => world.fail("a"),
  };
  test.each(Object.entries(ends))(
    "a worker that has lost the spool leaves an event that %s in place",
    async (_, end) => {
      world.store("a");
      await startReady();
      await world.untilAsked("a");
      isStopped = true;
      end();
      await isIdle();
      await afterIo();
      expect(world.spooled()).toEqual(["cur/a.json"]);
    },
  );
});

describe("a worker", () => {
  let receiver: Receiver;
  let gate: Gate;
  beforeEach(() => {
    world.answerToAll = {};
    gate = createGate(world.paths.root);
  });
  afterEach(() => gate.open());

  /** Routes events to a healthy webhook and to a command that hangs. */
  async function listen(script?: Parameters<typeof openReceiver>[0]): Promise<void> {
    receiver = await openReceiver(script);
    const notifiers = { hook: { type: "webhook", url: receiver.url }, mine: gate.notifier };
    world.writeConfig({ notifiers, lookups: [], delivery: { linger: "1h", retryDelays: ["200ms"] } });
  }

  const fire = (event: string, session: string, more: object = {}) =>
    world.fire({ hook_event_name: event, session_id: session, cwd: "/home/dev/shop", ...more });
  const stop = (session: string) => fire("Stop", session);
  const ask = (session: string) => fire("Notification", session, { message: "Claude needs your permission" });

  const sessions = () => receiver.sessions();
  const many = (prefix: string, count: number) => Array.from({ length: count }, (_, number) => `${prefix}${number}`);

  describe("while a notifier hangs", () => {
    test("it has two attempts in progress, and a question is next", async () => {
      await listen();
      void world.start();
      for (const session of many("s", 6)) stop(session);
      stop("s6");
      await world.until(() => sessions().length === 7 && gate.kindsBegun().length === 2);
      ask("question");
      await world.until(() => sessions().includes("question"));
      expect(gate.kindsBegun()).toEqual(["finished", "finished"]);
      gate.open();
      await world.until(() => gate.kindsBegun().length === 8);
      expect(gate.kindsBegun()[2]).toBe("needs-you");
      await world.until(() => world.spooled().length === 0);
      expect(world.journal().filter(({ status }) => status === "sent")).toHaveLength(16);
    });

    test("a retry of the same event at another notifier is not delayed", async () => {
      await listen([{ status: 500 }, { status: 500 }, { status: 200 }]);
      void world.start();
      stop("one");
      await world.until(() => sessions().includes("one"));
      expect(world.journal().filter(({ status }) => status === "retrying")).toHaveLength(2);
      expect(world.journal().filter(({ notifier }) => notifier === "mine")).toEqual([]);
    });

    test("events in flight during a crash and later events are all delivered", async () => {
      await listen();
      void world.start();
      for (const session of many("s", 3)) world.store(session, 1);
      stop("s3");
      await world.until(() => many("s", 4).every((session) => sessions().includes(session)));
      stop("later");
      await world.until(() => sessions().includes("later"));
      expect(world.journal().filter(({ notifier, status }) => notifier === "mine" && status === "sent")).toEqual([]);
    });

    test("a changed configuration applies to messages waiting for a slot", async () => {
      await listen();
      void world.start();
      for (const session of many("s", 4)) stop(session);
      stop("s4");
      await world.until(() => sessions().length === 5 && gate.kindsBegun().length === 2);
      const hook = { type: "webhook", url: receiver.url };
      world.writeConfig({ notifiers: { hook }, lookups: [], delivery: { linger: "1h" } });
      stop("s5");
      await world.until(() => sessions().length === 6 && world.spooled().length === 2);
      expect(gate.kindsBegun()).toHaveLength(2);
    });
  });

  test("events of one session run in order, those of different sessions in parallel", async () => {
    const [slow, other] = ["0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"];
    const held: ServerResponse[] = [];
    const service = createServer(({ url = "" }, response) => {
      if (url.includes(slow) && held.length === 0) held.push(response);
      else response.writeHead(404).end("{}");
    });
    const baseUrl = `http://${await listenLocally(service)}`;
    receiver = await openReceiver();
    const hook = { type: "webhook", url: receiver.url };
    const lookups = { lookups: ["service"], service: { baseUrl, apiKey: "a-key" } };
    world.writeConfig({ notifiers: { hook }, ...lookups, delivery: { linger: "1h" } });
    void world.start();
    stop(slow);
    ask(slow);
    await world.until(() => held.length === 1);
    stop(other);
    await world.until(() => sessions().includes(other));
    held[0]?.writeHead(404).end("{}");
    const journal = await world.until(() => sessions().filter((session) => session === slow).length === 2);
    const accepted = journal.filter(({ status, sessionId }) => status === "accepted" && sessionId === slow);
    expect(accepted.map(({ event }) => event)).toEqual(["Stop", "Notification"]);
  });

  test("a burst larger than the spool limit is delivered without evictions", async () => {
    receiver = await openReceiver();
    world.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "1h" } });
    const filler = "x".repeat(100_000);
    for (const session of many("s", 151)) fire("Stop", session, { filler });
    void world.start();
    const isIdle = ({ status }: { readonly status: string }) => status === "sent" || status === "expired";
    const journal = await world.until((lines) => lines.filter(isIdle).length === 151);
    expect(journal.filter(({ status }) => status === "expired")).toEqual([]);
  });

  test("messages are sent while a long backlog is still being processed", async () => {
    receiver = await openReceiver();
    world.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "1h" } });
    for (const session of many("s", 200)) stop(session);
    stop("last");
    void world.start();
    const journal = await world.until((lines) => lines.filter(({ status }) => status === "sent").length === 201);
    const statuses = journal.map(({ status }) => status);
    expect(statuses.indexOf("sent")).toBeLessThan(statuses.lastIndexOf("accepted"));
  });
});

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

test("a dispatcher releases held events only if snoozes or the configuration have changed", async () => {
  const isStopped = () => true;
  const resources = openWorkerResources(world.paths, world.ports, isStopped);
  const dispatcher = new Dispatcher(world.paths.spool, resources, { onSettled: () => {}, isStopped });
  await dispatcher.startReady(world.nowMs);
  const { file, due } = wait(silenced);
  await dispatcher.startReady(world.nowMs);
  expect(world.spooled()).toEqual([file]);
  world.writeConfig({ notifiers: {} });
  await dispatcher.startReady(world.nowMs);
  expect(world.spooled()).toEqual([due]);
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
    expect(await snooze("off")).toEqual(["Resumed. What you have not seen arrives now."]);
    await world.until(isSent);
    await world.until(() => world.spooled().length === 0);
  });

  test("cancelling a snooze releases what another worker held", async () => {
    configure({ mine: mine() });
    await snooze("2h");
    ask();
    await world.until(isHeld);
    await world.stop();
    writeStateFile(silencesFile(world.paths), []);
    void world.start();
    await world.until(isSent);
  });

  test("cancelling a snooze releases an event while another of its deliveries is in progress", async () => {
    const answers: ServerResponse[] = [];
    const server = createServer((request, response) => {
      request.resume();
      answers.push(response);
    });
    const url = `http://${await listenLocally(server)}/`;
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
