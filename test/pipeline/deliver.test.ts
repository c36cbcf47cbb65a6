import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { Config, ConfiguredNotifier } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { isDue } from "../../src/core/due.ts";
import { ConfigError, DeliveryError } from "../../src/core/errors.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { defineNotifier, type NotifierCall } from "../../src/core/notifier.ts";
import type { Ports } from "../../src/core/ports.ts";
import { redactor } from "../../src/core/secret.ts";
import { createPorts } from "../../src/io/ports.ts";
import { BrokenNotifiers } from "../../src/pipeline/broken-notifiers.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { deliver, type Job } from "../../src/pipeline/deliver.ts";
import { type JournalLine, openJournal } from "../../src/pipeline/journal.ts";
import { Pauses } from "../../src/pipeline/pauses.ts";
import { RecentFirings } from "../../src/pipeline/recent-events.ts";
import { run } from "../../src/pipeline/run.ts";
import { readState } from "../../src/pipeline/run-state.ts";
import { claim, freshEntries, waitingEntries } from "../../src/spool/claim.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { decodeRecord, encodeRecord } from "../../src/spool/record.ts";
import { settle } from "../../src/spool/settle.ts";
import {
  answer,
  type Behaviour,
  type HostileServer,
  inTurn,
  silence,
  startHostileServer,
} from "../helpers/hostile-server.ts";

const canary = "canary-4711-canary";
const start = Date.parse("2026-11-20T12:00:00Z");

let root: string;
let server: HostileServer;
/** The time by the clock that every step sees. */
let nowMs: number;
const secrets = new Set<string>();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "beckon-deliver-"));
  nowMs = start;
  secrets.clear();
});
afterEach(async () => {
  rmSync(root, { recursive: true, force: true });
  await server?.close();
});

const ports = (): Ports => ({ ...createPorts(), clock: { now: () => nowMs } });

/** What a worker has that starts now, with nothing in its memory but what is on the disk. */
function worker(config: Config): RunContext {
  return {
    config,
    ports: ports(),
    journal: openJournal(
      join(root, "journal"),
      () => nowMs,
      (text) => redactor(secrets)(text),
    ),
    recent: new RecentFirings(join(root, "state", "recent.json")),
    pauses: new Pauses(join(root, "state", "pauses.json")),
    broken: new BrokenNotifiers(join(root, "state", "broken.json")),
    redact: (text) => redactor(secrets)(text),
    keepSecret(values) {
      for (const value of values) secrets.add(value);
    },
  };
}

async function configOf(value: object): Promise<Config> {
  const config = await parseConfig(JSON.stringify({ lookups: [], ...value }));
  expect(config.findings).toEqual([]);
  return config;
}

async function webhookTo(behaviour: Behaviour, more: object = {}): Promise<Config> {
  server = await startHostileServer({ [`/${canary}`]: behaviour });
  const hook = { type: "webhook", url: `${server.origin}/${canary}`, headers: { "x-key": `${canary}-header` } };
  return configOf({ notifiers: { hook }, delivery: { retryDelaysSeconds: [5, 30] }, ...more });
}

/** Takes every event that is ready through the pipeline once, as a worker does. */
async function drain(context: RunContext): Promise<void> {
  const spool = join(root, "spool");
  const due = waitingEntries(spool).filter(({ dueAtMs }) => isDue(dueAtMs, nowMs));
  for (const entry of [...freshEntries(spool), ...due]) {
    const held = claim(spool, entry);
    if (held) settle(spool, held, await run({ ...held, takenInAtMs: entry.dueAtMs ?? nowMs }, context));
  }
}

function take(id: string, payload: object = { hook_event_name: "Stop", session_id: id, cwd: "/home/me/shop" }): void {
  makeSpool(join(root, "spool"));
  put(
    join(root, "spool"),
    id,
    encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(JSON.stringify(payload))),
  );
}

const lines = (context: RunContext, id: string): string[] =>
  context.journal
    .linesOf(id)
    .map(({ status, reason = "" }) => `${status} ${reason.replace(/http:\/\/[\d.:]+/, "…")}`.trim());

const nextDue = (): number | undefined => waitingEntries(join(root, "spool"))[0]?.dueAtMs;

describe("an event on its way to a server", () => {
  test("that fails, then is busy, then takes it: waits as long as it must and arrives once, under one id", async () => {
    const config = await webhookTo(inTurn(answer(500), answer(429, { "retry-after": "20" }), answer(200)));
    const context = worker(config);
    take("one");
    await drain(context);
    const second = nextDue() ?? 0;
    expect(second - start).toBeGreaterThanOrEqual(4_000);
    expect(second - start).toBeLessThanOrEqual(6_000);

    nowMs = second - 1;
    await drain(context);
    expect(server.requests).toHaveLength(1);
    nowMs = second;
    await drain(context);
    const third = nextDue() ?? 0;
    expect(third - second).toBeGreaterThanOrEqual(24_000); // its own 30 s, less a fifth: more than was asked for

    nowMs = third;
    await drain(worker(config));
    expect(nextDue()).toBeUndefined();
    expect(new Set(server.requests.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(["one"]));
    expect(lines(context, "one")).toEqual([
      "accepted",
      "retrying unavailable: … answered 500",
      "retrying rate-limited: … answered 429",
      "sent",
    ]);
    expect(context.journal.linesOf("one").map(({ attempt }) => attempt)).toEqual([undefined, 1, 2, 3]);
  });

  test("that refuses it for good goes to the dead after one attempt, with its state", async () => {
    const context = worker(await webhookTo(answer(401)));
    take("one");
    const held = claim(join(root, "spool"), { id: "one", crashes: 0 });
    if (!held) throw new Error("not there");
    const outcome = await run({ ...held, takenInAtMs: nowMs }, context);
    expect(outcome.next).toBe("dead");
    const record = outcome.next === "dead" && outcome.record && decodeRecord(outcome.record);
    expect(record && readState(record)).toMatchObject({ deliveries: { hook: { status: "failed", attempts: 1 } } });
    expect(lines(context, "one")).toEqual(["accepted", "failed auth: … answered 401"]);
  });

  test("that is not up in time expires, at once where the next attempt would come too late", async () => {
    const more = { delivery: { retryDelaysSeconds: [50], expireMinutes: { finished: 1 } } };
    const context = worker(await webhookTo(answer(500), more));
    take("one");
    await drain(context);
    nowMs = nextDue() ?? 0;
    await drain(context);
    expect(nextDue()).toBeUndefined();
    expect(lines(context, "one")).toEqual([
      "accepted",
      "retrying unavailable: … answered 500",
      "expired unavailable: … answered 500; the next attempt would come too late",
    ]);
  });

  test("that was away for hours is not told what is long over", async () => {
    const context = worker(await webhookTo(answer(500)));
    take("one");
    await drain(context);
    nowMs = start + 7 * 3_600_000;
    await drain(context);
    expect(server.requests).toHaveLength(1);
    expect(lines(context, "one").at(-1)).toBe("expired not delivered in time");
  });

  test("that asked to be left alone is left alone by other events too, and by the next worker", async () => {
    const config = await webhookTo(inTurn(answer(429, { "retry-after": "60" }), answer(200)));
    take("one");
    await drain(worker(config));
    take("two");
    nowMs += 1_000;
    await drain(worker(config));
    expect(server.requests).toHaveLength(1);
    expect(nextDue()).toBeGreaterThanOrEqual(start + 60_000);
    nowMs = start + 60_001;
    await drain(worker(config));
    expect(server.requests).toHaveLength(3);
  });

  test("is not held up by a pause or a due time from years ahead: the clock was wrong then", async () => {
    const config = await webhookTo(inTurn(answer(429, { "retry-after": "60" }), answer(200)));
    nowMs = start + 4 * 365 * 86_400_000;
    take("one");
    await drain(worker(config));
    nowMs = start;
    take("two");
    await drain(worker(config));
    expect(server.requests.map(({ headers }) => headers["webhook-id"])).toEqual(["one", "two", "one"]);
  });

  test("leaves no secret behind: not in the journal, not in the spool", async () => {
    const context = worker(await webhookTo(inTurn(answer(500), answer(403))));
    take("one");
    await drain(context);
    nowMs = nextDue() ?? 0;
    await drain(context);
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).map((file) => join(root, file));
    const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, "utf8"));
    expect(texts.length).toBeGreaterThanOrEqual(2);
    expect(texts.join()).not.toContain(canary);
    expect(secrets).toContain(`${canary}-header`);
  });
});

/** A notifier that does what a test says. */
function probe(send: (call: NotifierCall<unknown>) => Promise<void>, more: object = {}): ConfiguredNotifier {
  const notifier = defineNotifier({
    name: "probe",
    summary: "Does what a test says.",
    source: "https://example.org",
    settings: z.object({ text: z.string().min(3).optional() }),
    example: {},
    budgetMs: 100,
    limits: { unit: "utf16", title: 100, body: 100 },
    reach: "machine",
    platforms: "any",
    send,
    ...more,
  });
  return { name: "probe", notifier, settings: {}, templates: {} };
}

const event: AgentEvent = {
  id: "one",
  atMs: start,
  event: "Stop",
  firing: "Stop",
  agent: "claude",
  kind: "finished",
  project: "shop",
  extra: {},
};

async function delivered(configured: ConfiguredNotifier, soFar: Job["soFar"] = { status: "open", attempts: 0 }) {
  const context = worker(await configOf({}));
  const delivery = await deliver({ event, facts: {}, configured, soFar, freshAtMs: start }, context);
  const [line] = context.journal.linesOf("one");
  return { delivery, line: line as JournalLine };
}

describe("a notifier", () => {
  test.each<[string, () => Promise<void>]>([
    ["rejects", () => Promise.reject(new TypeError(canary))],
    [
      "throws at once",
      () => {
        throw new TypeError(canary);
      },
    ],
    ["throws no error at all", () => Promise.reject(canary)],
    ["throws nothing", () => Promise.reject(undefined)],
  ])("that %s is a fault, told without its words, and is not tried again", async (_, send) => {
    const { delivery, line } = await delivered(probe(send));
    expect(delivery).toEqual({ status: "failed", attempts: 1 });
    expect(line.reason).toMatch(/^bug: a fault in the notifier \((TypeError|string|undefined)\)$/);
  });

  test("that throws at once leaves no rejection behind at the end of its budget", async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): unknown => rejections.push(reason);
    process.on("unhandledRejection", note);
    await delivered(
      probe(
        () => {
          throw new Error("at once");
        },
        { budgetMs: 20 },
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.off("unhandledRejection", note);
    expect(rejections).toEqual([]);
  });

  test("that ignores its signal is given up at the end of its budget, and tried again", async () => {
    let aborted = false;
    const { delivery, line } = await delivered(
      probe(({ signal }) => {
        signal.addEventListener("abort", () => {
          aborted = true;
        });
        return new Promise(() => {});
      }),
    );
    expect(delivery).toMatchObject({ status: "open", attempts: 1 });
    expect(line).toMatchObject({ status: "retrying", reason: "timeout: took longer than 100 ms" });
    expect(aborted).toBe(true);
  });

  test("that fails in its own words when its time is over was late all the same", async () => {
    const send = ({ signal }: NotifierCall<unknown>) =>
      new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    expect((await delivered(probe(send))).line.reason).toBe("timeout: took longer than 100 ms");
  });

  test("that waits for a silent server is a timeout", async () => {
    server = await startHostileServer({ "/in": silence });
    const send = async ({ ports: { http }, signal }: NotifierCall<unknown>) => {
      await http.post({ url: `${server.origin}/in`, body: "{}", signal });
    };
    expect((await delivered(probe(send))).line.reason).toMatch(/^timeout: /);
  });

  test.each<[string, object, string]>([
    ["says it is unsupported", {}, "unsupported: no desktop"],
    ["is for another platform", { platforms: ["aix"] }, `unsupported: does not work on ${process.platform}`],
  ])("that %s is skipped", async (_, more, reason) => {
    const send = () => Promise.reject(new DeliveryError("unsupported", "no desktop"));
    const { delivery, line } = await delivered(probe(send, more));
    expect(delivery).toEqual({ status: "skipped", attempts: 1 });
    expect(line).toMatchObject({ status: "skipped", reason });
  });

  test.each(["rate-limited", "unavailable", "timeout"] as const)("that fails as %s is tried again", async (reason) => {
    const { delivery } = await delivered(probe(() => Promise.reject(new DeliveryError(reason, "no"))));
    expect(delivery).toMatchObject({ status: "open", attempts: 1 });
    expect(delivery.dueAtMs).toBeGreaterThan(start);
  });

  test.each(["auth", "rejected", "redirect", "bug"] as const)("that fails as %s is not", async (reason) => {
    const { delivery } = await delivered(probe(() => Promise.reject(new DeliveryError(reason, "no"))));
    expect(delivery).toEqual({ status: "failed", attempts: 1 });
  });

  test("whose message is worth nothing later is not tried again", async () => {
    const send = () => Promise.reject(new DeliveryError("unavailable", "no"));
    expect((await delivered(probe(send, { retries: false }))).delivery.status).toBe("failed");
  });

  test("whose secret is missing is tried again", async () => {
    const configured = { ...probe(async () => {}), settings: { text: "${env:BECKON_TEST_NOT_SET}" } };
    const { delivery, line } = await delivered(configured);
    expect(delivery.status).toBe("open");
    expect(line.reason).toBe("auth: notifiers.probe.text: ${env:BECKON_TEST_NOT_SET} gives nothing");
  });

  test("whose secret is of no use is told by its place, not by its value", async () => {
    vi.stubEnv("BECKON_TEST_KEY", "ab");
    const configured = { ...probe(async () => {}), settings: { text: "${env:BECKON_TEST_KEY}" } };
    const { line } = await delivered(configured);
    expect(line.reason).toBe("auth: notifiers.probe.text is not usable once its reference is resolved");
    vi.unstubAllEnvs();
  });

  test("that throws a configuration's error says where", async () => {
    const send = () => Promise.reject(new ConfigError("notifiers.probe.x", "notifiers.probe.x is wrong"));
    expect((await delivered(probe(send))).line.reason).toBe("auth: notifiers.probe.x is wrong");
  });

  test.each([
    ["a year", 365 * 86_400_000, 6 * 3_600_000],
    ["for ever", Number.POSITIVE_INFINITY, 0],
    ["not a number", Number.NaN, 0],
    ["a past time", -5_000, 0],
  ])("that asks for %s is left alone for six hours at most", async (_, retryAfterMs, atLeastMs) => {
    const send = () => Promise.reject(new DeliveryError("rate-limited", "no", { retryAfterMs }));
    const { delivery } = await delivered({ ...probe(send) }, { status: "open", attempts: 0 });
    expect(delivery.dueAtMs).toBeGreaterThanOrEqual(start + Math.max(atLeastMs, 4_000));
    expect(delivery.dueAtMs).toBeLessThanOrEqual(start + Math.max(atLeastMs, 6_000) + 1);
  });

  test("gets its settings, the cut message, and a signal that has not gone off", async () => {
    const calls: NotifierCall<unknown>[] = [];
    const { delivery, line } = await delivered(probe(async (call) => void calls.push(call)));
    expect(delivery).toEqual({ status: "sent", attempts: 1 });
    expect(line).toMatchObject({ status: "sent", attempt: 1, notifier: "probe", tookMs: 0 });
    const [call] = calls;
    expect(call?.settings).toEqual({});
    expect(call?.message).toMatchObject({ id: "one", title: "shop: done", body: "Claude Code finished" });
    expect(call?.signal.aborted).toBe(false);
  });
});

test("an event that is not due is not tried, and its time stays", async () => {
  let calls = 0;
  const send = async (): Promise<void> => {
    calls += 1;
  };
  const soFar = { status: "open", attempts: 2, dueAtMs: start + 1_000 } as const;
  const { delivery } = await delivered(probe(send), soFar);
  expect(delivery).toEqual(soFar);
  expect(calls).toBe(0);
});

test.each([
  ["took long to fail is left alone for half a minute at most, so that it holds up nothing else", 9_000, true],
  ["failed fast is tried with the next event", 100, false],
])("a notifier that %s", async (_, tookMs, isPaused) => {
  const context = worker(await configOf({ delivery: { retryDelaysSeconds: [600] } }));
  let calls = 0;
  const configured = probe(async () => {
    calls += 1;
    nowMs += tookMs;
    throw new DeliveryError("unavailable", "no");
  });
  const job = { facts: {}, configured, soFar: { status: "open", attempts: 0 }, freshAtMs: start } as const;
  await deliver({ ...job, event }, context);
  const next = await deliver({ ...job, event: { ...event, id: "two" } }, context);
  expect(calls).toBe(isPaused ? 1 : 2);
  if (isPaused) expect(next).toEqual({ status: "open", attempts: 0, dueAtMs: nowMs + 30_000 });
});

test("one notifier's failure touches no other", async () => {
  server = await startHostileServer({ "/good": answer(200), "/bad": answer(401), "/later": answer(503) });
  const to = (path: string) => ({ type: "webhook", url: server.origin + path });
  const context = worker(await configOf({ notifiers: { bad: to("/bad"), good: to("/good"), later: to("/later") } }));
  take("one");
  await drain(context);
  const outcome = Object.fromEntries(context.journal.linesOf("one").map(({ notifier, status }) => [notifier, status]));
  expect(outcome).toMatchObject({ bad: "failed", good: "sent", later: "retrying" });
  nowMs = nextDue() ?? 0;
  await drain(context);
  const ofOne = server.requests.filter(({ body }) => JSON.parse(body).data.id === "one");
  expect(ofOne.map(({ path }) => path).sort()).toEqual(["/bad", "/good", "/later", "/later"]);
});

describe("a notifier whose receiver does not know it any more", () => {
  const texts = (path: string): string[] =>
    server.requests.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).data.body);
  const setUp = async (bad: Behaviour, good: Behaviour = answer(200)) => {
    server = await startHostileServer({ "/good": good, [`/${canary}`]: bad });
    const to = (path: string) => ({ type: "webhook", url: `${server.origin}/${path}` });
    return configOf({ notifiers: { bad: to(canary), good: to("good") } });
  };
  const next = async (config: Config, id: string) => {
    const context = worker(config);
    take(id);
    await drain(context);
    return context.journal.linesOf(id).find(({ notifier }) => notifier === "bad");
  };

  test("is told of once, through another, and left alone for an hour", async () => {
    const config = await setUp(answer(410));
    for (const id of ["one", "two", "three"]) await next(config, id);
    const notices = texts("/good").filter((text) => text.includes("does not work any more"));
    expect(notices).toEqual([
      expect.stringMatching(/^The notifier bad \(webhook\) .*answered 410\. See `beckon doctor`/),
    ]);
    expect(texts(`/${canary}`)).toHaveLength(1);
    nowMs += 3_600_000;
    expect((await next(config, "four"))?.reason).toMatch(/^auth: .*410/);
    expect(texts(`/${canary}`)).toHaveLength(2);
    expect(texts("/good").filter((text) => text.includes("does not work any more"))).toHaveLength(1);
  });

  test("is told of once, however many events find it out at the same time", async () => {
    const config = await setUp(answer(404));
    const context = worker(config);
    const ids = ["one", "two", "three", "four"];
    for (const id of ids) take(id);
    const held = ids.map((id) => claim(join(root, "spool"), { id, crashes: 0 })).filter((one) => one !== undefined);
    expect(held).toHaveLength(ids.length);
    await Promise.all(held.map((one) => run({ ...one, takenInAtMs: nowMs }, context)));
    expect(texts("/good").filter((text) => text.includes("does not work any more"))).toHaveLength(1);
  });

  test("is told of where people look before it is put into a file", async () => {
    server = await startHostileServer({ "/good": answer(200), [`/${canary}`]: answer(404) });
    const to = (path: string) => ({ type: "webhook", url: `${server.origin}/${path}` });
    const path = join(root, "log.jsonl");
    const config = await configOf({ notifiers: { bad: to(canary), log: { type: "file", path }, good: to("good") } });
    await next(config, "one");
    expect(texts("/good").filter((text) => text.includes("does not work any more"))).toHaveLength(1);
    expect(readFileSync(path, "utf8")).not.toContain("does not work any more");
  });

  test("is tried at once with another configuration, and told of again", async () => {
    await next(await setUp(answer(401)), "one");
    const moved = await configOf({
      notifiers: {
        bad: { type: "webhook", url: `${server.origin}/${canary}?moved` },
        good: { type: "webhook", url: `${server.origin}/good` },
      },
    });
    expect((await next(moved, "two"))?.reason).toMatch(/^auth: /);
    expect(texts("/good").filter((text) => text.includes("does not work any more"))).toHaveLength(2);
  });

  test("that works again is forgotten, and told of when it breaks once more", async () => {
    const config = await setUp(inTurn(answer(403), answer(200), answer(403)));
    await next(config, "one");
    nowMs += 3_600_000;
    expect((await next(config, "two"))?.status).toBe("sent");
    expect((await next(config, "three"))?.reason).toMatch(/^auth: /);
    expect(texts("/good").filter((text) => text.includes("does not work any more"))).toHaveLength(2);
  });

  test("is told of later where nobody could be told", async () => {
    const config = await setUp(answer(404), inTurn(answer(500), answer(500), answer(200)));
    await next(config, "one");
    nowMs += 3_600_000;
    await next(config, "two");
    const notices = texts("/good").filter((text) => text.includes("does not work any more"));
    expect(notices).toHaveLength(2);
    const kept = readFileSync(join(root, "state", "broken.json"), "utf8");
    expect(JSON.parse(kept).bad).toMatchObject({ hint: expect.stringMatching(/^Check `url`/) });
    expect(kept).not.toContain(canary);
  });

  test("gives its events up meanwhile, so that they can be put back", async () => {
    const config = await setUp(answer(404));
    await next(config, "one");
    expect(await next(config, "two")).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/^not tried: /),
    });
  });
});
