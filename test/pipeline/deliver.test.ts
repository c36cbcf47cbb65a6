import { beforeEach, describe, expect, test } from "vitest";
import { sampleSessionPrefix } from "../../src/attention/session-memory.ts";
import type { Config } from "../../src/config/config.ts";
import { findDueStale } from "../../src/follow-up/withdraw.ts";
import { run } from "../../src/pipeline/run.ts";
import { readState } from "../../src/pipeline/run-state.ts";
import { claim } from "../../src/spool/claim.ts";
import { decodeRecord } from "../../src/spool/record.ts";
import { canary, DeliveryWorld, listJournal, makeConfig, startMs } from "../world/delivery-world.ts";
import {
  answer,
  answerJson,
  type Behaviour,
  type HostileServer,
  inTurn,
  openHostileServer,
} from "../world/hostile-server.ts";

let world: DeliveryWorld;
let server: HostileServer;
beforeEach(() => {
  world = new DeliveryWorld();
});

async function webhookTo(behaviour: Behaviour, more: object = {}): Promise<Config> {
  server = await openHostileServer({ [`/${canary}`]: behaviour });
  const hook = { type: "webhook", url: `${server.origin}/${canary}`, headers: { "x-key": `${canary}-header` } };
  return makeConfig({ notifiers: { hook }, delivery: { retryDelays: ["5s", "30s"] }, ...more });
}

describe("an event for a server", () => {
  test("that fails and then is busy waits between attempts, and arrives once under one id", async () => {
    const config = await webhookTo(inTurn(answer(500), answer(429, { "retry-after": "20" }), answer(200)));
    const context = world.worker(config);
    world.take("one");
    await world.drain(context);
    const second = world.nextDueMs() ?? 0;
    expect(second - startMs).toBeGreaterThanOrEqual(4_000);
    expect(second - startMs).toBeLessThanOrEqual(6_000);

    world.nowMs = second - 1;
    await world.drain(context);
    expect(server.requests).toHaveLength(1);
    world.nowMs = second;
    await world.drain(context);
    const third = world.nextDueMs() ?? 0;
    expect(third - second).toBeGreaterThanOrEqual(24_000); // its own 30 s less a fifth, which is more than the receiver asked for

    world.nowMs = third;
    await world.drain(world.worker(config));
    expect(world.nextDueMs()).toBeUndefined();
    expect(new Set(server.requests.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(["one"]));
    expect(listJournal(context, "one")).toEqual([
      "accepted",
      "retrying unavailable: … answered 500",
      "retrying rate-limited: … answered 429",
      "sent",
    ]);
    expect(context.journal.readLines("one").map(({ attempt }) => attempt)).toEqual([undefined, 1, 2, 3]);
  });

  test("that rejects it ends dead after one attempt, with its state in the record", async () => {
    const context = world.worker(await webhookTo(answer(401)));
    world.take("one");
    const held = claim(world.spool, { id: "one", crashes: 0 });
    if (!held) throw new Error("not there");
    const outcome = await run({ ...held, takenInAtMs: world.nowMs }, context);
    expect(outcome.next).toBe("dead");
    const record = outcome.next === "dead" && outcome.record && decodeRecord(outcome.record);
    expect(record && readState(record)).toMatchObject({ deliveries: { hook: { status: "failed", attempts: 1 } } });
    expect(listJournal(context, "one")).toEqual(["accepted", "failed auth: … answered 401"]);
  });

  test("that is down fails a sample, which would only surprise later", async () => {
    server = await openHostileServer({ "/": answer(503) });
    const phone = { type: "ntfy", topic: "t", server: server.origin };
    const context = world.worker(await makeConfig({ notifiers: { phone } }));
    world.take("one", { hook_event_name: "Notification", session_id: `${sampleSessionPrefix}1`, message: "Sample" });
    await world.drain(context);
    expect(listJournal(context, "one")).toEqual(["accepted", "failed unavailable: … answered 503"]);
  });

  test("arrives after a 13-minute outage although its next regular attempt would be too late", async () => {
    const [minuteMs, question] = [60_000, { hook_event_name: "Notification", session_id: "one", message: "May I?" }];
    const isUp = () => world.nowMs >= startMs + 13 * minuteMs;
    const behave: Behaviour = (request, response) => answer(isUp() ? 200 : 503)(request, response);
    const context = world.worker(await webhookTo(behave, { delivery: { retryDelays: ["20m"] } }));
    world.take("one", question);
    for (let next: number | undefined = startMs; next !== undefined; next = world.nextDueMs()) {
      world.nowMs = next;
      await world.drain(context);
    }
    expect(listJournal(context, "one").at(-1)).toBe("sent");
    expect(world.nowMs).toBe(startMs + 14.5 * minuteMs);
  });

  test("expires without another attempt after hours without a worker", async () => {
    const context = world.worker(await webhookTo(answer(500)));
    world.take("one");
    await world.drain(context);
    world.nowMs = startMs + 7 * 3_600_000;
    await world.drain(context);
    expect(server.requests).toHaveLength(1);
    expect(listJournal(context, "one").at(-1)).toBe("expired not delivered in time");
    expect(context.journal.readLines("one").at(-1)?.attempt).toBe(1);
  });

  test("ignores a pause and a due time years ahead, set while the clock was wrong", async () => {
    const config = await webhookTo(inTurn(answer(429, { "retry-after": "60" }), answer(200)));
    world.nowMs = startMs + 4 * 365 * 86_400_000;
    world.take("one");
    await world.drain(world.worker(config));
    world.nowMs = startMs;
    world.take("two");
    await world.drain(world.worker(config));
    expect(server.requests.map(({ headers }) => headers["webhook-id"])).toEqual(["one", "two", "one"]);
  });
});

test("a retry for a resolved alert is skipped if the receiver keeps states, and sent to a log", async () => {
  server = await openHostileServer({ "*": answer(503) });
  const { origin } = server;
  const notifiers = {
    pager: { type: "alertmanager", servers: [`${origin}/pager`] },
    lamp: { type: "webhook", url: `${origin}/lamp`, states: true },
    log: { type: "webhook", url: `${origin}/log` },
    otel: { type: "otlp", endpoint: `${origin}/otel`, states: true },
  };
  const context = world.worker(await makeConfig({ notifiers }));
  world.take("one", { hook_event_name: "Notification", session_id: "s", message: "May I?", cwd: "/home/me/shop" });
  await world.drain(context);
  world.take("two", {
    hook_event_name: "SessionEnd",
    session_id: "s",
    reason: "prompt_input_exit",
    cwd: "/home/me/shop",
  });
  await world.drain(context);
  world.nowMs += 10_000;
  await world.drain(context);
  const attempts = context.journal.readLines("one").filter(({ attempt }) => attempt === 2);
  expect(attempts.map(({ notifier }) => notifier).sort()).toEqual(["log", "otel"]);
  const skipped = context.journal.readLines("one").filter(({ status }) => status === "skipped");
  expect(skipped.map(({ notifier }) => notifier).sort()).toEqual(["lamp", "pager"]);
});

test("a message sent twice under one id stays one message and is not withdrawn as the older one", async () => {
  server = await openHostileServer({
    "*": (request, response) => {
      const { sequence_id } = JSON.parse(server.requests.at(-1)?.body ?? "{}");
      answerJson(200, { id: "m1", sequence_id, time: server.requests.length })(request, response);
    },
  });
  const notifiers = { phone: { type: "ntfy", topic: "agents", server: server.origin } };
  const context = world.worker(await makeConfig({ notifiers, attention: { wait: "0s" } }));
  const question = { hook_event_name: "Notification", session_id: "s", message: "May I?", cwd: "/home/me/shop" };
  for (const _ of ["sent", "sent again after a crash"]) {
    world.take("one", question);
    await world.drain(context);
    world.nowMs += 1_000;
  }
  const ids = server.requests.map(({ body }) => JSON.parse(body).sequence_id);
  expect(ids).toEqual([ids[0], ids[0]]);
  expect(findDueStale(context)).toEqual([]);
  expect(JSON.stringify(context.alerts.all())).toContain('"sentAt":2');
});

test("the journal says that a message's notifier is gone from the configuration", async () => {
  world.take("one");
  await world.drain(world.worker(await webhookTo(answer(500))));
  const next = world.worker(await makeConfig({ notifiers: {} }));
  world.nowMs = world.nextDueMs() ?? 0;
  await world.drain(next);
  expect(listJournal(next, "one").at(-1)).toMatch(/^skipped the notifier is no longer in the configuration/);
});

test("one notifier's failure affects no other", async () => {
  server = await openHostileServer({ "/good": answer(200), "/bad": answer(401), "/later": answer(503) });
  const to = (path: string) => ({ type: "webhook", url: server.origin + path });
  const notifiers = { bad: to("/bad"), good: to("/good"), later: to("/later") };
  const context = world.worker(await makeConfig({ notifiers }));
  world.take("one");
  await world.drain(context);
  const outcome = Object.fromEntries(
    context.journal.readLines("one").map(({ notifier, status }) => [notifier, status]),
  );
  expect(outcome).toMatchObject({ bad: "failed", good: "sent", later: "retrying" });
  world.nowMs = world.nextDueMs() ?? 0;
  await world.drain(context);
  const ofOne = server.requests.filter(({ body }) => JSON.parse(body).data.id === "one");
  expect(ofOne.map(({ path }) => path).sort()).toEqual(["/bad", "/good", "/later", "/later"]);
});
