import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { type Kind, kinds } from "../../src/core/vocabulary.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { type NotifierQueue, NotifierQueues, type WaitingDelivery } from "../../src/pipeline/notifier-queue.ts";
import { run } from "../../src/pipeline/run.ts";
import { claim, waitingEntries } from "../../src/spool/claim.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { spoolBounds } from "../../src/spool/sweep.ts";
import { makeDue, readWaiting } from "../../src/worker/worker-resources.ts";
import { eventAt } from "../world/arriving-events.ts";
import { canary, DeliveryWorld, makeConfig, startMs } from "../world/delivery-world.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { answer, type Behaviour, type HostileServer, inTurn, openHostileServer } from "../world/hostile-server.ts";
import { probeNotifier } from "../world/probe-notifier.ts";

let state: string;
let nowMs: number;
beforeEach(() => {
  state = join(freshFolder(), "state");
  nowMs = 0;
});

type Options = ConstructorParameters<typeof NotifierQueues>[2];
const openQueues = (options: Options = {}) => new NotifierQueues({ state }, { now: () => nowMs }, options);

describe("slots", () => {
  /** Ends of the attempts that have slots. */
  const ends: (() => void)[] = [];
  afterEach(() => void ends.splice(0));
  const hold = () => new Promise<void>((resolve) => ends.push(resolve));
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  /** Requests a slot for each of some kinds and lists the outcomes in the order of arrival. */
  function askAll(queue: NotifierQueue, asked: readonly Kind[], act = hold, notifier: { maxInFlight?: number } = {}) {
    const outcomes: (readonly [number, string])[] = [];
    for (const [index, kind] of asked.entries()) {
      const grant = () => {
        outcomes.push([index, "granted"]);
        return act();
      };
      void queue.run({ notifier }, kind, grant).then((outcome) => outcome && outcomes.push([index, outcome]));
    }
    return outcomes;
  }

  test("are two per notifier unless it declares another number, and not shared", async () => {
    const queues = openQueues();
    const slow = askAll(queues.of("slow"), Array<Kind>(5).fill("finished"));
    const hook = askAll(queues.of("hook"), Array<Kind>(20).fill("finished"), hold, { maxInFlight: 16 });
    await settled();
    expect([slow.length, hook.length]).toEqual([2, 16]);
    ends[0]?.();
    await settled();
    expect([slow.length, hook.length]).toEqual([3, 16]);
  });

  test("go to the most urgent first, and among equals to the earliest request", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { maxLength: 30 }), async (asked) => {
        const queue = openQueues().of("slow");
        askAll(queue, ["info", "info"]);
        const granted = askAll(queue, asked, async () => {});
        await settled();
        for (const end of ends.splice(0)) end();
        await settled();
        const expected = asked
          .map((kind, index) => ({ index, rank: kinds.indexOf(kind) }))
          .sort((a, b) => a.rank - b.rank || a.index - b.index);
        expect(granted).toEqual(expected.map(({ index }) => [index, "granted"]));
      }),
      { numRuns: 50 },
    );
  });

  test("are refused to the oldest of the least urgent if too many wait", async () => {
    const queue = openQueues().of("slow");
    const outcomes = askAll(queue, ["failed", "failed", ...Array<Kind>(spoolBounds.files).fill("finished")]);
    const urgent = askAll(queue, ["needs-you"]);
    await settled();
    expect(outcomes.slice(2)).toEqual([[2, "evicted"]]);
    expect(urgent).toEqual([]);
    ends[0]?.();
    await settled();
    expect(urgent).toEqual([[0, "granted"]]);
  });

  test("still pending end their wait on a recall and can be requested again", async () => {
    const queues = openQueues();
    const outcomes = askAll(queues.of("slow"), ["info", "info", "info"]);
    queues.recall();
    await settled();
    expect(outcomes.map(([, outcome]) => outcome)).toEqual(["granted", "granted", "recalled"]);
    ends[0]?.();
    expect(await queues.of("slow").run({ notifier: {} }, "info", async () => "granted")).toBe("granted");
  });

  test("are no longer granted once the worker must stop", async () => {
    let isStopped = false;
    const queues = openQueues({ isStopped: () => isStopped });
    const outcomes = ["slow", "hook"].map((name) => askAll(queues.of(name), ["info", "info", "needs-you"]));
    await settled();
    isStopped = true;
    ends[0]?.();
    await settled();
    expect(outcomes.map((listed) => listed.at(-1))).toEqual(Array(2).fill([2, "recalled"]));
    expect(await queues.of("other").run({ notifier: {} }, "info", async () => "granted")).toBe("recalled");
  });
});

describe("releases", () => {
  /** States of a delivery after an opportunity of its second attempt. */
  const states = {
    sent: { status: "sent", attempts: 2 },
    failed: { status: "open", attempts: 2 },
    dropped: { status: "skipped", attempts: 1 },
    postponed: { status: "open", attempts: 1 },
  } as const;

  function delivery(id: string, atMs: number, more: Partial<WaitingDelivery> = {}): WaitingDelivery {
    return { notifier: "hook", id, step: 0, atMs, kind: "needs-you", ...more };
  }

  const [old, middle, young] = [delivery("old", 1), delivery("middle", 2), delivery("young", 3)] as const;

  /** Makes a queue of these waiting deliveries, and records the ids of the events that it releases. */
  function makeBacklog(waiting: readonly WaitingDelivery[], options: Options = {}) {
    const queues = openQueues(options);
    const released: string[] = [];
    const unsubscribe = queues.subscribe((id) => released.push(id));
    for (const delivery of waiting) queues.of(delivery.notifier).add(delivery);
    const begin = ({ notifier: name, id, atMs, kind }: WaitingDelivery) => {
      const notifier = probeNotifier({ audience: "machine" });
      const configured = { name, notifier, settings: {}, templates: {} };
      const event = eventAt("Stop", 0, { id, atMs, kind });
      const delivery = { status: "open", attempts: 1 } as const;
      return queues.of(name).begin({ event, facts: {}, configured, delivery, freshAtMs: atMs });
    };
    const end = (ended: WaitingDelivery, outcome: keyof typeof states, afterMs = 0) => {
      nowMs = afterMs;
      return queues.of(ended.notifier).end(begin(ended), states[outcome]);
    };
    return { queues, released, unsubscribe, begin, end };
  }

  test("a success releases the oldest, and each further success the next", () => {
    const elsewhere = delivery("elsewhere", 0, { notifier: "phone" });
    const { queues, released, begin, end } = makeBacklog([middle, young, old, elsewhere]);
    end(delivery("fresh", 4), "sent");
    end(delivery("another", 5), "sent"); // one at a time
    expect(released).toEqual(["old"]);
    expect(begin(old).isReleased).toBe(true);
    expect([queues.hasReleased("old"), queues.hasReleased("ol")]).toEqual([true, false]);
    end(old, "sent");
    end(middle, "dropped"); // answered meanwhile
    end(young, "sent");
    expect(released).toEqual(["old", "middle", "young"]);
    expect(begin(old).isReleased).toBeUndefined();
  });

  test("a failed released attempt ends the releases, and is not released again for a minute", () => {
    const { released, end } = makeBacklog([old, middle]);
    end(delivery("fresh", 4), "sent");
    end(old, "failed", 10);
    end(delivery("fresh", 5), "sent", 1_000);
    end(middle, "failed", 1_010);
    end(delivery("fresh", 6), "sent", 60_000);
    expect(released).toEqual(["old", "middle"]);
    end(delivery("fresh", 7), "sent", 60_010);
    expect(released).toEqual(["old", "middle", "old"]);
  });

  test("failures and dropped messages outside a release release nothing", () => {
    const { released, end } = makeBacklog([old]);
    for (const outcome of ["failed", "dropped", "postponed"] as const) end(middle, outcome);
    expect(released).toEqual([]);
  });

  test("a release without a result blocks others for a minute at most", () => {
    const { queues, released, end } = makeBacklog([old, middle]);
    end(delivery("fresh", 4), "sent");
    end(delivery("fresh", 5), "sent", 59_999);
    expect(released).toEqual(["old"]);
    end(delivery("fresh", 6), "sent", 60_000);
    expect(released).toEqual(["old", "middle"]);
    end(delivery("fresh", 7), "sent", 120_000);
    expect(queues.hasReleased("middle")).toBe(false);
  });

  test("a notifier has recovered once it sends after a failure that is a minute old", () => {
    const { queues, end } = makeBacklog([]);
    end(young, "sent", 20);
    const check = (atMs: number) => {
      nowMs = atMs;
      return [19, 20].map((failedAtMs) => queues.of("hook").hasRecovered(failedAtMs));
    };
    expect([60_018, 60_020].map(check)).toEqual([
      [false, false],
      [true, false],
    ]);
  });

  test("deliveries waiting in the spool are listed once, at the first success", () => {
    const listWaiting = vi.fn(() => [old]);
    const { released, unsubscribe, end } = makeBacklog([], { listWaiting });
    end(delivery("fresh", 4), "failed");
    expect(listWaiting).not.toHaveBeenCalled();
    end(delivery("fresh", 4), "sent");
    end(old, "sent");
    expect([listWaiting.mock.calls.length, released]).toEqual([1, ["old"]]);
    unsubscribe();
    end(young, "failed");
    end(middle, "sent");
    expect(released).toEqual(["old"]);
  });
});

describe("pauses", () => {
  const url = (host: string) => ({ settings: { url: `https://${host}.example` } });
  const file = () => join(state, "pauses.json");
  const pause = (name: string, untilMs: number) => openQueues().of(name).pause(url("a"), untilMs);
  const readPause = (name: string, host = "a") => openQueues().of(name).pausedUntilMs(url(host));

  test("a pause is initially unset, applies to one notifier and outlasts the worker", () => {
    expect(readPause("team")).toBe(0);
    pause("team", 5_000);
    expect([readPause("team"), readPause("desk")]).toEqual([5_000, 0]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test("a pause is never shortened", () => {
    pause("team", 5_000);
    pause("team", 4_000);
    expect(readPause("team")).toBe(5_000);
    pause("team", 6_000);
    expect(readPause("team")).toBe(6_000);
  });

  test("a notifier with changed settings is not paused", () => {
    pause("team", 5_000);
    expect(readPause("team", "b")).toBe(0);
    expect(readFileSync(file(), "utf8")).not.toContain("example");
  });

  test("a pause that has ended, or was set while the clock was wrong, is forgotten", () => {
    const years = 4 * 365 * 86_400_000;
    nowMs = years - 5_000;
    pause("team", years);
    nowMs = 0;
    pause("desk", 5_000);
    pause("team", 6_000);
    expect(readPause("team")).toBe(6_000);
    nowMs = 7_000;
    pause("team", 9_000);
    expect(Object.keys(JSON.parse(readFileSync(file(), "utf8")))).toHaveLength(1);
  });

  test.each(["__proto__", "constructor", "toString"])("a notifier may be called %s", (name) => {
    expect(readPause(name)).toBe(0);
    pause(name, 5_000);
    expect(readPause(name)).toBe(5_000);
  });

  test.each(["", "null", "5", "[1,2]", '{"team":"x","desk":null}', '{"team":1', "\0"])(
    "a file that contains %j pauses nothing",
    (text) => {
      pause("other", 1);
      writeFileSync(file(), text);
      expect(["team", "desk", "other"].map((name) => readPause(name))).toEqual([0, 0, 0]);
    },
  );
});

describe("in a worker", () => {
  let world: DeliveryWorld;
  let server: HostileServer;
  beforeEach(() => {
    world = new DeliveryWorld();
  });

  /** Reads the waiting delivery of the event `old` in the spool. */
  function readOld() {
    const entry = waitingEntries(world.spool).find(({ id }) => id === "old") ?? expect.fail("it does not wait");
    return readWaiting(world.spool, entry)?.deliveries["hook"] ?? expect.fail("no delivery");
  }

  const readId = ({ headers }: { readonly headers: object }) => (headers as Record<string, string>)["webhook-id"];

  /** Plays a failure of one event, then a success of another, after which the first is retried early. */
  async function releaseOld(behave: (id: string | undefined, context: RunContext) => Behaviour) {
    const answerAll: Behaviour = (request, response) => behave(readId(request), context)(request, response);
    server = await openHostileServer({ "*": answerAll });
    const notifiers = { hook: { type: "webhook", url: server.origin } };
    const context = world.worker(await makeConfig({ notifiers, delivery: { retryDelays: ["10m"] } }));
    context.queues.subscribe((id) => makeDue(world.spool, id, world.nowMs));
    world.take("old");
    await world.drain(context);
    world.nowMs += 1_000;
    world.take("new");
    const scheduled = readOld();
    await world.drain(context);
    await world.drain(context);
    return { scheduled };
  }

  test("a released attempt that fails keeps its delivery's schedule", async () => {
    const { scheduled } = await releaseOld((id) => answer(id === "new" ? 200 : 503));
    expect(server.requests.map(readId)).toEqual(["old", "new", "old"]);
    expect(readOld()).toEqual({ ...scheduled, attempts: 2, releases: 1 });
  });

  test("a released attempt answered with a pause is due at the end of the pause", async () => {
    const pauses = ["0", "90"];
    await releaseOld((id) => (id === "new" ? answer(200) : answer(429, { "retry-after": pauses.shift() ?? "" })));
    expect(readOld().dueAtMs).toBe(startMs + 91_000);
  });

  test("a release that a pause postpones costs no attempt", async () => {
    const { scheduled } = await releaseOld((id, { config, queues }) => {
      const hook = config.notifiers.get("hook") ?? expect.fail("no notifier");
      if (id === "new") queues.of("hook").pause(hook, world.nowMs + 30_000); // as another attempt may have requested
      return answer(id === "new" ? 200 : 503);
    });
    expect(server.requests.map(readId)).toEqual(["old", "new"]);
    expect(readOld()).toEqual({ ...scheduled, dueAtMs: startMs + 31_000 });
  });

  describe("a notifier that its receiver rejects", () => {
    const texts = (path: string): string[] =>
      server.requests.filter((found) => found.path === path).map(({ body }) => JSON.parse(body).data.body);
    const notices = () => texts("/good").filter((text) => text.includes("no longer works"));
    const to = (path: string, more: object = {}) => ({ type: "webhook", url: `${server.origin}/${path}`, ...more });
    const setUp = async (bad: Behaviour, good: Behaviour = answer(200)) => {
      server = await openHostileServer({ "/good": good, [`/${canary}`]: bad });
      return makeConfig({ notifiers: { bad: to(canary), good: to("good") } });
    };
    const next = async (config: Config, id: string) => {
      const context = world.worker(config);
      world.take(id);
      await world.drain(context);
      return context.journal.readLines(id).find(({ notifier }) => notifier === "bad");
    };

    test("is reported once through another notifier and not called for an hour", async () => {
      const config = await setUp(answer(410));
      for (const id of ["one", "two", "three"]) await next(config, id);
      const notice = /^The notifier bad \(webhook\) .*answered 410\. See `beckon doctor`/;
      expect(notices()).toEqual([expect.stringMatching(notice)]);
      expect(texts(`/${canary}`)).toHaveLength(1);
      world.nowMs += 3_600_000;
      expect((await next(config, "four"))?.reason).toMatch(/^auth: .*410/);
      expect(texts(`/${canary}`)).toHaveLength(2);
      expect(notices()).toHaveLength(1);
    });

    test("is reported at once if its secret is missing, is retried, and recovers with the secret", async () => {
      await setUp(answer(200));
      const bad = { type: "webhook", url: "${env:BECKON_TEST_HOOK}" };
      const config = await makeConfig({ notifiers: { bad, good: to("good") }, delivery: { retryDelays: ["10s"] } });
      for (const id of ["one", "two"]) expect((await next(config, id))?.reason).toMatch(/^auth: .*BECKON_TEST_HOOK/);
      expect(notices()).toEqual([expect.stringContaining("${env:BECKON_TEST_HOOK}")]);
      vi.stubEnv("BECKON_TEST_HOOK", `${server.origin}/${canary}`);
      onTestFinished(() => void vi.unstubAllEnvs());
      world.nowMs += 12_000;
      await world.drain(world.worker(config));
      expect(texts(`/${canary}`)).toHaveLength(2);
      const queue = world.worker(config).queues.of("bad");
      expect(queue.findBroken(config.notifiers.get("bad") ?? expect.fail())).toBeUndefined();
    });

    test("is reported in the language of the reporting notifier", async () => {
      await setUp(answer(410));
      const notifiers = { bad: to(canary), good: to("good", { language: "de" }) };
      const config = await makeConfig({ language: "fr", notifiers });
      await next(config, "one");
      expect(texts("/good").join("\n")).toMatch(/Der Notifier bad \(webhook\) funktioniert nicht mehr: .*answered 410/);
      expect(texts("/good").join("\n")).not.toMatch(/does not work|ne fonctionne/);
    });

    test("is reported once, however many events are rejected at once", async () => {
      const config = await setUp(answer(404));
      const context = world.worker(config);
      const ids = ["one", "two", "three", "four"];
      for (const id of ids) world.take(id);
      const held = ids.map((id) => claim(world.spool, { id, crashes: 0 })).filter((found) => found !== undefined);
      expect(held).toHaveLength(ids.length);
      await Promise.all(held.map((found) => run({ ...found, takenInAtMs: world.nowMs }, context)));
      expect(notices()).toHaveLength(1);
    });

    test("is reported by a notifier that people read rather than by a file", async () => {
      await setUp(answer(404));
      const path = join(world.root, "log.jsonl");
      const config = await makeConfig({
        notifiers: { bad: to(canary), log: { type: "file", path }, good: to("good") },
      });
      await next(config, "one");
      expect(notices()).toHaveLength(1);
      expect(readFileSync(path, "utf8")).not.toContain("no longer works");
    });

    test("is reported in the terminal of the agent whose event failed, as is an error in the configuration", async () => {
      await setUp(answer(404));
      const config = await makeConfig({ notifiers: { bad: to(canary), here: { type: "terminal" } } });
      const findings = [{ level: "error", path: "routes", message: "wrong" }] as const;
      const context = world.worker({ ...config, findings });
      const of = vi.fn(async () => undefined);
      const terminal = { ...context.ports.terminal, of };
      makeSpool(world.spool);
      const header = { v: 1, event: "Stop", agent: "claude", processes: [4711] } as const;
      put(world.spool, "one", encodeRecord(header, Buffer.from('{"hook_event_name":"Stop","session_id":"s-1"}')));
      await world.drain({ ...context, ports: { ...context.ports, terminal } });
      expect(of.mock.calls).toEqual(Array(2).fill([[4711], undefined]));
    });

    test("is called at once after a retry by hand", async () => {
      const config = await setUp(inTurn(answer(403), answer(200)));
      await next(config, "one");
      world.worker(config).queues.of("bad").tryAgain();
      expect((await next(config, "two"))?.status).toBe("sent");
    });

    test("is called at once with changed settings, and reported again", async () => {
      await next(await setUp(answer(401)), "one");
      const moved = await makeConfig({ notifiers: { bad: to(`${canary}?moved`), good: to("good") } });
      expect((await next(moved, "two"))?.reason).toMatch(/^auth: /);
      expect(notices()).toHaveLength(2);
    });

    test("is forgotten when it works again, and reported at the next rejection", async () => {
      const config = await setUp(inTurn(answer(403), answer(200), answer(403)));
      await next(config, "one");
      world.nowMs += 3_600_000;
      expect((await next(config, "two"))?.status).toBe("sent");
      expect((await next(config, "three"))?.reason).toMatch(/^auth: /);
      expect(notices()).toHaveLength(2);
    });

    test("is reported later if no other notifier worked", async () => {
      const config = await setUp(answer(404), inTurn(answer(500), answer(500), answer(200)));
      await next(config, "one");
      world.nowMs += 3_600_000;
      await next(config, "two");
      expect(notices()).toHaveLength(2);
      const kept = readFileSync(join(world.root, "state", "broken.json"), "utf8");
      expect(JSON.parse(kept).bad).toMatchObject({ hint: expect.stringMatching(/^Check `url`/) });
      expect(kept).not.toContain(canary);
    });

    test("fails its events meanwhile so that they can be retried", async () => {
      const config = await setUp(answer(404));
      await next(config, "one");
      const reason = expect.stringMatching(/^not tried: /);
      expect(await next(config, "two")).toMatchObject({ status: "failed", reason });
    });
  });
});
