import { getEventListeners } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { Deadline } from "../../src/service/deadline.ts";
import type { Behaviour } from "../world/hostile-server.ts";
import { inTurn } from "../world/hostile-server.ts";
import { catchFailure } from "../world/service/client.ts";
import { apiKey, hostileClient, onePage, startHostileService, statusReply } from "../world/service/hostile-service.ts";

/** Answers requests once a number of them waits, and records the greatest number at once. */
function countingService(batch: number): { readonly behaviour: Behaviour; readonly most: () => number } {
  const held: (() => void)[] = [];
  let most = 0;
  const behaviour: Behaviour = (request, response) => {
    held.push(() => onePage(request, response));
    most = Math.max(most, held.length);
    // Requests beyond the batch have arrived by then.
    if (held.length === batch)
      setImmediate(() => setImmediate(() => held.splice(0).forEach((answer) => void answer())));
  };
  return { behaviour, most: () => most };
}

/** Allows a number of requests in each second of a clock that only pauses move. */
function limiter(perSecond: number, headers: Record<string, string> = {}) {
  let nowMs = 0;
  const seen: number[] = [];
  const behaviour: Behaviour = (request, response) => {
    const isAllowed = seen.filter((at) => at > nowMs - 1000).length < perSecond;
    if (isAllowed) seen.push(nowMs);
    (isAllowed ? onePage : statusReply(429, {}, headers))(request, response);
  };
  const sleep = async (ms: number): Promise<void> => {
    const endMs = nowMs + ms;
    await new Promise((resolve) => setImmediate(resolve));
    nowMs = Math.max(nowMs, endMs);
  };
  return { behaviour, sleep, nowMs: () => nowMs };
}

const hour = statusReply(429, {}, { "retry-after": "3600" });

test.each([
  ["four", {}, 4],
  ["`maxConcurrency`", { maxConcurrency: 2 }, 2],
])("a client sends at most %s requests at once", async (_, options, most) => {
  const service = countingService(most);
  const server = await startHostileService(service.behaviour);
  const client = hostileClient(server.origin, { apiKey }, options);
  const replies = await Promise.all(Array.from({ length: 12 }, () => client.users.list().page()));
  expect([replies.length, service.most()]).toEqual([12, most]);
});

test("the wait for a turn does not count as time of the call", async () => {
  vi.useFakeTimers();
  const deadline = new Deadline(60, undefined);
  let turn = (): void => {};
  const wait = deadline.queue((resolve) => {
    turn = resolve;
  });
  vi.advanceTimersByTime(1000);
  turn();
  await wait;
  vi.advanceTimersByTime(59);
  expect(deadline.ending).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(deadline.ending).toBe("deadline");
});

describe("after a 429", () => {
  test.each(Object.entries({ "five requests a second": 5, "two requests": 2, "one request": 1 }))(
    "calls that wait until an instant all succeed at %s",
    async (_, perSecond) => {
      for (const headers of [{}, { "retry-after": "1" }]) {
        const limit = limiter(perSecond, headers);
        const server = await startHostileService(limit.behaviour);
        const client = hostileClient(server.origin, { apiKey }, { sleep: limit.sleep, now: () => 0 });
        const calls = Array.from({ length: 40 }, () => client.users.list({}, { waitUntilMs: 600_000 }).all());
        expect((await Promise.all(calls)).flat()).toHaveLength(40);
        expect(client.pausedMs).toBeGreaterThan(0);
        expect(limit.nowMs()).toBeLessThan((3 * 40_000) / perSecond);
      }
    },
  );

  test("all other calls wait for the time that it names", async () => {
    const server = await startHostileService(inTurn(statusReply(429, {}, { "retry-after": "3" }), onePage));
    const waits: [ms: number, requests: number][] = [];
    const sleep = async (ms: number) => void waits.push([ms, server.requests.length]);
    const client = hostileClient(server.origin, { apiKey }, { sleep, maxConcurrency: 1, now: () => 0 });
    const sessions = client.sessions.list().page();
    await Promise.all([client.users.list().page(), client.users.list().page(), sessions.catch(() => {})]);
    expect(waits).toEqual(waits.map(() => [3000, 1]));
    expect(Math.round(client.pausedMs)).toBe(3000);
  });

  test("a call without time for the pause fails at once, and says when to try again", async () => {
    const server = await startHostileService(hour);
    const client = hostileClient(server.origin);
    const thrown = [];
    for (const send of [() => client.users.list().page(), () => client.computers.installDeps("c1")])
      thrown.push(await catchFailure(send()));
    expect(server.requests).toHaveLength(1);
    expect(thrown).toMatchObject([
      { name: "RateLimitError", status: 429, hint: "Try again in 1 hour." },
      { name: "RateLimitError", reason: "rate-limited", hint: "Try again in 1 hour." },
    ]);
    const message = `${server.origin} asked for a pause`;
    expect(thrown[1]).toMatchObject({ message, retryAfterMs: expect.any(Number) });
  });

  test("a POST is not repeated, with or without an instant to wait for", async () => {
    const server = await startHostileService(statusReply(429));
    const client = hostileClient(server.origin, { apiKey }, { now: () => 0 });
    for (const options of [{}, { waitUntilMs: 600_000 }])
      expect(await catchFailure(client.computers.installDeps("c1", options))).toMatchObject({ status: 429 });
    expect(server.requests).toHaveLength(2);
  });

  test("a call gives up when its pauses reach the instant", async () => {
    const server = await startHostileService(statusReply(429));
    const pauses: number[] = [];
    const options = { now: () => 0, sleep: async (ms: number) => void pauses.push(ms) };
    const client = hostileClient(server.origin, { apiKey }, options);
    const thrown = await catchFailure(client.users.list({}, { waitUntilMs: 120_000 }).page());
    expect(thrown).toMatchObject({ name: "RateLimitError", hint: expect.stringContaining("in some minutes") });
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test("a call that is aborted in the queue lets the others in", async () => {
    const server = await startHostileService(inTurn(statusReply(429, {}, { "retry-after": "1" }), onePage));
    const client = hostileClient(server.origin, { apiKey }, { maxConcurrency: 1 });
    const controller = new AbortController();
    const list = (signal?: AbortSignal) => client.users.list({}, signal && { signal }).page();
    const calls = [list(), catchFailure(list(controller.signal)), list()];
    controller.abort();
    expect(await Promise.all(calls)).toMatchObject([{}, { name: "AbortError" }, {}]);
  });
});

test("many calls put one listener on their signal, and none when they end", async () => {
  const server = await startHostileService(onePage);
  const { signal } = new AbortController();
  const client = hostileClient(server.origin);
  const calls = Array.from({ length: 30 }, () => client.users.list({}, { signal }).page());
  await Promise.resolve();
  expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(1);
  await Promise.all(calls);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
