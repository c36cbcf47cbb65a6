import { beforeEach, describe, expect, test } from "vitest";
import { DeliveryError } from "../../src/core/errors.ts";
import type { EventView } from "../../src/core/event.ts";
import { answer, type Behaviour, openHostileServer, silence } from "../world/hostile-server.ts";
import { type Answer, openReceiver, type Receiver } from "../world/receiver.ts";
import { WorkerWorld } from "../world/worker-world.ts";

let world: WorkerWorld;
let receiver: Receiver;
beforeEach(() => {
  world = new WorkerWorld();
  world.answerToAll = {};
});

const up: Answer = { status: 200 };
const down: Answer = { status: 503 };

/** Starts a worker with a webhook that gives these answers in turn and is retried after ten minutes. */
async function listen(script: readonly Answer[], more: object = {}): Promise<void> {
  receiver = await openReceiver(script);
  const notifiers = { hook: { type: "webhook", url: receiver.url, ...more } };
  world.writeConfig({ notifiers, lookups: [], delivery: { linger: "1h", retryDelays: ["10m"] } });
  void world.start();
}

const ask = (session: string): void =>
  world.fire({ hook_event_name: "Notification", session_id: session, cwd: "/home/dev/shop", message: "May I?" });
const finish = (session: string): void =>
  world.fire({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
const count = (status: string): number => world.journal().filter((line) => line.status === status).length;

describe("the first message that arrives after an outage", () => {
  test("releases the waiting ones, oldest first, long before their next attempts", async () => {
    await listen([down, down, down, up]);
    for (const session of ["a", "b", "c"]) {
      ask(session);
      await world.until(() => count("retrying") === receiver.received.length);
      await world.pass(1_000);
    }
    const outageMs = world.nowMs;
    ask("d");
    await world.until(() => count("sent") === 4);
    expect(receiver.sessions()).toEqual(["d", "a", "b", "c"]);
    expect(world.nowMs - outageMs).toBeLessThan(60_000);
  });

  test("releases one whose event is still in progress at another notifier", async () => {
    receiver = await openReceiver([down, up]);
    const slow = await openHostileServer({ "*": silence });
    const notifiers = { hook: { type: "webhook", url: receiver.url }, slow: { type: "webhook", url: slow.origin } };
    const routes = [
      { on: ["Notification"], to: ["hook", "slow"] },
      { on: ["Stop"], to: ["hook"] },
    ];
    world.writeConfig({ notifiers, routes, lookups: [], delivery: { linger: "1h", retryDelays: ["10m"] } });
    void world.start();
    ask("a");
    await world.until(() => count("retrying") === 1 && slow.requests.length === 1);
    finish("b");
    await world.until(() => count("sent") === 2);
    expect(receiver.sessions()).toEqual(["b", "a"]);
    expect(world.journal().filter(({ notifier }) => notifier === "slow")).toEqual([]); // still in progress
  });

  test("releases those left in the spool by an earlier worker", async () => {
    await listen([down, down, up]);
    ask("a");
    ask("b");
    await world.until(() => count("retrying") === 2);
    await world.stop();
    void world.start();
    ask("c");
    await world.until(() => count("sent") === 3);
    expect(receiver.sessions()[0]).toBe("c");
  });

  test("combines finished turns that were missed into one message", async () => {
    await listen([down, down, down, up], { for: "person" });
    for (const session of ["a", "b", "c"]) {
      finish(session);
      await world.until(() => count("retrying") === receiver.received.length && receiver.received.length > 0);
      await world.pass(3_000);
    }
    ask("d");
    await world.until(() => count("sent") === 4);
    expect(receiver.accepted).toHaveLength(2);
    expect(JSON.parse(receiver.accepted[1]?.body ?? "").data.title).toContain("3");
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(5); // a digest is a separate message
  });

  test("releases updates of alerts resolved meanwhile", async () => {
    receiver = await openReceiver([up, down, up]);
    const notifiers = { hook: { type: "webhook", url: receiver.url, states: true } };
    world.writeConfig({ notifiers, lookups: [], delivery: { linger: "1h", retryDelays: ["20m"] } });
    void world.start();
    ask("a");
    await world.until(() => count("sent") === 1);
    world.fire({ hook_event_name: "UserPromptSubmit", session_id: "a", cwd: "/home/dev/shop", prompt: "yes" });
    await world.until(() => receiver.received.length === 2); // down
    await world.pass(60_000);
    ask("b");
    await world.until(() => count("withdrawn") === 1);
    const ends = receiver.accepted.filter(({ body }) => JSON.parse(body).data.state === "resolved");
    expect(ends).toHaveLength(1);
  });

  test("releases nothing that was answered meanwhile", async () => {
    await listen([down, down, up], { for: "person" });
    ask("a");
    ask("b");
    await world.until(() => count("retrying") === 2);
    world.fire({ hook_event_name: "UserPromptSubmit", session_id: "a", cwd: "/home/dev/shop", prompt: "yes" });
    ask("c");
    await world.until(() => count("sent") === 2);
    expect(receiver.sessions()).toEqual(["c", "b"]);
  });

  test("releases none before the end of a pause requested by the receiver", async () => {
    await listen([down, down, up, { status: 429, headers: { "retry-after": "120" } }, up]);
    ask("a");
    ask("b");
    await world.until(() => count("retrying") === 2);
    ask("c");
    await world.until(() => count("retrying") === 3);
    const pausedMs = world.nowMs;
    expect(receiver.sessions()).toEqual(["c"]);
    await world.pass(115_000);
    await world.until(() => count("sent") === 3);
    expect(world.nowMs - pausedMs).toBeGreaterThanOrEqual(119_000);
  });
});

test("the first event a relay server accepts releases those it had no room for", async () => {
  receiver = await openReceiver();
  const taken: string[] = [];
  let isFull = true;
  const send = async (_: unknown, { event }: EventView): Promise<string> => {
    if (isFull) throw new DeliveryError("unavailable", "too many events wait at the server already");
    taken.push(event.sessionId ?? "");
    return event.id;
  };
  const notifiers = { home: { type: "relay", via: "stdio" } };
  world.writeConfig({ notifiers, lookups: [], delivery: { linger: "1h", retryDelays: ["10m"] } });
  void world.start({}, { relay: { send, sendStates: async () => {} } });
  for (const session of ["a", "b", "c"]) {
    ask(session);
    await world.until(() => count("retrying") === session.charCodeAt(0) - 96);
    await world.pass(1_000);
  }
  isFull = false;
  const emptiedAtMs = world.nowMs;
  ask("d");
  await world.until(() => count("sent") === 4);
  expect(taken).toEqual(["d", "a", "b", "c"]);
  expect(world.nowMs - emptiedAtMs).toBeLessThan(60_000);
});

test("each receiver gets what it accepts of 40 events after an outage, at its own pace", async () => {
  const [eventEveryMs, outageMs, restMs, stepMs] = [15_000, 600_000, 360_000, 2_000];
  const pause: Answer = { status: 429, headers: { "retry-after": "20" } };
  /** Answers of each receiver after the outage, by request number. */
  const answers: Readonly<Record<string, (index: number) => Answer>> = {
    steady: () => up,
    phone: () => up,
    busy: (index) => (index % 5 === 0 ? pause : up),
    flaky: (index) => (index % 10 === 9 ? up : down),
    gone: () => down,
  };
  const names = Object.keys(answers);
  const upAtMs = world.nowMs + outageMs;
  const behave = (name: string): Behaviour => {
    let index = 0;
    return (request, response) => {
      const { status, headers } = world.nowMs < upAtMs ? down : (answers[name]?.(index++) ?? down);
      answer(status, headers)(request, response);
    };
  };
  const server = await openHostileServer(Object.fromEntries(names.map((name) => [`/${name}`, behave(name)])));
  receiver = { url: server.origin, received: server.requests, accepted: [], sessions: () => [], close: server.close };
  const makeEntry = (name: string) => ({
    ...{ type: "webhook", url: `${server.origin}/${name}` },
    ...(name === "phone" && { for: "person" }),
  });
  const notifiers = Object.fromEntries(names.map((name) => [name, makeEntry(name)]));
  const routes = [{ kinds: ["needs-you", "finished"], to: names }];
  world.writeConfig({ notifiers, routes, lookups: [], delivery: { linger: "1h" } });
  void world.start();
  for (let atMs = 0; atMs < outageMs + restMs; atMs += stepMs) {
    const index = Math.ceil(atMs / eventEveryMs);
    if (index < 40 && index * eventEveryMs < atMs + stepMs) (index % 2 === 0 ? ask : finish)(`s${index}`);
    await world.pass(stepMs);
    await world.looks();
  }

  const attemptsAt = (name: string) => world.journal().filter((line) => line.notifier === name && line.attempt);
  const sentAfterS = (name: string) =>
    attemptsAt(name).flatMap(({ status, at }) => (status === "sent" ? [(Date.parse(at) - upAtMs) / 1_000] : []));
  for (const name of ["steady", "phone"]) {
    expect(sentAfterS(name), name).toHaveLength(40);
    expect(Math.max(...sentAfterS(name)), name).toBeLessThan(60);
  }
  expect(sentAfterS("busy")).toHaveLength(40);
  const busyAtMs = attemptsAt("busy").map(({ at, reason = "" }) => ({
    atMs: Date.parse(at),
    isPause: /429/.test(reason),
  }));
  for (const { atMs: pausedAtMs } of busyAtMs.filter(({ isPause }) => isPause))
    expect(busyAtMs.filter(({ atMs }) => atMs > pausedAtMs + stepMs && atMs < pausedAtMs + 20_000)).toEqual([]);

  expect(sentAfterS("flaky").length).toBeGreaterThan(0);
  for (let index = 0; index < 40; index += 1) {
    const [flaky = 0, gone = 0] = ["flaky", "gone"].map(
      (name) => attemptsAt(name).filter(({ sessionId }) => sessionId === `s${index}`).length,
    );
    expect(flaky - gone, `s${index}`).toBeLessThanOrEqual(restMs / 60_000);
  }
}, 120_000);
