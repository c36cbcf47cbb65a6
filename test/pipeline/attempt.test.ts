import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { ConfiguredNotifier } from "../../src/config/config.ts";
import { ConfigError, DeliveryError, type FailureReason } from "../../src/core/errors.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Facts } from "../../src/core/facts.ts";
import type { Audience, Notifier } from "../../src/core/notifier.ts";
import type { NotifierCall } from "../../src/core/notifier-call.ts";
import { details } from "../../src/core/vocabulary.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { redactForNotifier } from "../../src/pipeline/attempt.ts";
import { deliver } from "../../src/pipeline/deliver.ts";
import { render } from "../../src/pipeline/render.ts";
import type { Delivery } from "../../src/pipeline/run-state.ts";
import { withinBudget } from "../../src/pipeline/within-budget.ts";
import { summarize } from "../../src/text/summary.ts";
import { eventAt } from "../world/arriving-events.ts";
import { canary, DeliveryWorld, makeConfig, startMs } from "../world/delivery-world.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { probeNotifier } from "../world/probe-notifier.ts";

describe("attempt", () => {
  let world: DeliveryWorld;
  beforeEach(() => {
    world = new DeliveryWorld();
  });
  afterEach(() => vi.unstubAllEnvs());

  /** Makes a notifier with a test's behaviour. */
  function probe(
    send: (call: NotifierCall<unknown>) => Promise<void>,
    more: Partial<Notifier> = {},
  ): ConfiguredNotifier {
    const settings = z.object({ text: z.string().min(3).optional() });
    const notifier = probeNotifier({ settings, send: (call) => send(call).then(() => undefined), ...more });
    return { name: "probe", notifier, settings: {}, templates: {} };
  }

  const fails = (reason: FailureReason) => () => Promise.reject(new DeliveryError(reason, "no"));
  function throwAtOnce(): never {
    throw new TypeError(canary);
  }

  /** Budget for a notifier that is to exceed it. */
  const shortBudget = { budgetMs: 100 };

  const event = eventAt("Stop", 0, { id: "one", atMs: startMs });

  async function delivered(
    configured: ConfiguredNotifier,
    before: Delivery = { status: "open", attempts: 0 },
    sent: AgentEvent = event,
  ) {
    const context = world.worker(await makeConfig({}));
    const delivery = await deliver(
      { event: sent, facts: {}, configured, delivery: before, freshAtMs: startMs },
      context,
    );
    if (!delivery) throw new Error("no attempt was made");
    const [line] = context.journal.readLines("one");
    return { delivery, line: line as JournalLine };
  }

  test.each<[Partial<ConfiguredNotifier>, Audience, string]>([
    [{}, "team", "tracker · create issue"],
    [{ detail: "summary" }, "team", "tracker · create issue"],
    [{ detail: "full" }, "team", "tracker · create issue: project SHOP"],
    [{ detail: "minimal" }, "team", "Claude Code is waiting for you"],
    [{}, "person", "tracker · create issue: project SHOP"],
    [{ for: "team" }, "person", "tracker · create issue"],
    [{ detail: "minimal" }, "person", "Claude Code is waiting for you"],
  ])("a notifier with %j for a %s shows of another program's tool: %s", async (entry, audience, body) => {
    const texts = { message: "tracker · create issue: project SHOP", brief: "tracker · create issue" };
    const request = eventAt("Notification", 0, { id: "one", atMs: startMs, ...texts });
    const bodies: string[] = [];
    const configured = probe(async ({ message }) => void bodies.push(message.body), { audience });
    await delivered({ ...configured, ...entry }, undefined, request);
    expect(bodies).toEqual([body]);
  });

  describe("a notifier", () => {
    test.each<[string, () => Promise<void>]>([
      ["rejects", () => Promise.reject(new TypeError(canary))],
      ["throws at once", throwAtOnce],
      ["rejects with a text", () => Promise.reject(canary)],
      ["rejects with nothing", () => Promise.reject(undefined)],
    ])("that %s is a bug, is reported without the error's text and is not retried", async (_, send) => {
      const { delivery, line } = await delivered(probe(send));
      expect(delivery).toEqual({ status: "failed", attempts: 1 });
      expect(line.reason).toMatch(/^bug: a fault in the notifier \((TypeError|string|undefined)\)$/);
    });

    test.each<[string, (onAbort: (error: Error) => void) => void]>([
      ["ignores its signal", () => {}],
      ["throws its own error when its signal aborts", (reject) => reject(new Error("aborted"))],
    ])("that %s times out at the end of its budget and is retried", async (_, end) => {
      const onAbort = vi.fn(end);
      const send = ({ signal }: NotifierCall<unknown>) =>
        new Promise<void>((_, reject) => signal.addEventListener("abort", () => onAbort(reject)));
      const { delivery, line } = await delivered(probe(send, shortBudget));
      expect(delivery).toMatchObject({ status: "open", attempts: 1 });
      expect(line).toMatchObject({ status: "retrying", reason: "timeout: took longer than 100 ms" });
      expect(onAbort).toHaveBeenCalled();
    });

    test.each<[string, Partial<Notifier>, string]>([
      ["says the delivery is unsupported", {}, "unsupported: no desktop"],
      ["is for another platform", { platforms: ["aix"] }, `unsupported: does not work on ${process.platform}`],
    ])("that %s is skipped", async (_, more, reason) => {
      const send = () => Promise.reject(new DeliveryError("unsupported", "no desktop"));
      const { delivery, line } = await delivered(probe(send, more));
      expect(delivery).toEqual({ status: "skipped", attempts: 1 });
      expect(line).toMatchObject({ status: "skipped", reason });
    });

    test.each(["rate-limited", "unavailable", "timeout"] as const)("that fails as %s is retried", async (reason) => {
      const { delivery } = await delivered(probe(fails(reason)));
      expect(delivery).toMatchObject({ status: "open", attempts: 1 });
      expect(delivery.dueAtMs).toBeGreaterThan(startMs);
    });

    test.each(["auth", "rejected", "redirect", "bug"] as const)("that fails as %s is not retried", async (reason) => {
      const { delivery } = await delivered(probe(fails(reason)));
      expect(delivery).toEqual({ status: "failed", attempts: 1 });
    });

    test("that declares no retries is not retried", async () => {
      expect((await delivered(probe(fails("unavailable"), { retries: false }))).delivery.status).toBe("failed");
    });

    test.each([
      ["missing", undefined, "auth: notifiers.probe.text: ${env:BECKON_TEST_KEY} is not set"],
      ["invalid", "ab", "auth: notifiers.probe.text is not usable once its reference is resolved"],
    ])("whose secret is %s is retried, and reported by setting path instead of value", async (...row) => {
      vi.stubEnv("BECKON_TEST_KEY", row[1]);
      const { delivery, line } = await delivered({
        ...probe(async () => {}),
        settings: { text: "${env:BECKON_TEST_KEY}" },
      });
      expect([delivery.status, line.reason]).toEqual(["open", row[2]]);
    });

    test("that throws a ConfigError is reported with its path", async () => {
      const send = () => Promise.reject(new ConfigError("notifiers.probe.x", "notifiers.probe.x is wrong"));
      expect((await delivered(probe(send))).line.reason).toBe("auth: notifiers.probe.x is wrong");
    });

    test.each([
      ["a year", 365 * 86_400_000, 6 * 3_600_000],
      ["infinity", Number.POSITIVE_INFINITY, 0],
      ["not a number", Number.NaN, 0],
      ["a past time", -5_000, 0],
    ])("that asks for a pause of %s is paused for six hours at most", async (_, retryAfterMs, atLeastMs) => {
      const send = () => Promise.reject(new DeliveryError("rate-limited", "no", { retryAfterMs }));
      const { delivery } = await delivered(probe(send));
      expect(delivery.dueAtMs).toBeGreaterThanOrEqual(startMs + Math.max(atLeastMs, 4_000));
      expect(delivery.dueAtMs).toBeLessThanOrEqual(startMs + Math.max(atLeastMs, 6_000) + 1);
    });

    test("gets its settings, the cut message and an active signal", async () => {
      const calls: NotifierCall<unknown>[] = [];
      const { delivery, line } = await delivered(probe(async (call) => void calls.push(call)));
      expect(delivery).toEqual({ status: "sent", attempts: 1 });
      expect(line).toMatchObject({ status: "sent", attempt: 1, notifier: "probe", tookMs: 0 });
      const [call] = calls;
      expect(call?.settings).toEqual({});
      const said = { id: "one", title: "shop · Claude Code is done", body: "Claude Code finished" };
      expect(call?.message).toMatchObject(said);
      expect(call?.signal.aborted).toBe(false);
    });
  });

  test("an event that is not due is left for its time", async () => {
    const send = vi.fn(async () => {});
    const before = { status: "open", attempts: 2, dueAtMs: startMs + 1_000 } as const;
    const { delivery } = await delivered(probe(send), before);
    expect(delivery).toEqual(before);
    expect(send).not.toHaveBeenCalled();
  });

  test.each([
    ["that failed slowly is paused for half a minute at most", 9_000, true],
    ["that failed fast is called for the next event", 100, false],
  ])("a notifier %s", async (_, tookMs, isPaused) => {
    const context = world.worker(await makeConfig({ delivery: { retryDelays: ["10m"] } }));
    let calls = 0;
    const configured = probe(async () => {
      calls += 1;
      world.nowMs += tookMs;
      throw new DeliveryError("unavailable", "no");
    });
    const pending = { facts: {}, configured, delivery: { status: "open", attempts: 0 }, freshAtMs: startMs } as const;
    await deliver({ ...pending, event }, context);
    const next = await deliver({ ...pending, event: { ...event, id: "two" } }, context);
    expect(calls).toBe(isPaused ? 1 : 2);
    if (isPaused) expect(next).toEqual({ status: "open", attempts: 0, dueAtMs: world.nowMs + 30_000 });
  });
});

describe("redact for notifier", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const event = eventAt("Notification", 0, {
    ...{ sessionId: "session-4711", cwd: "/code/said/shop", message: `said: use ${token}\nsecond line said` },
    ...{ reason: "said", lastMessage: "said at length", transcriptPath: "/said", extra: { said: true }, host: "said" },
  });
  const facts: Facts = { title: "said", summary: `said ${token}`, lastMessage: "said", branch: "said", turnMs: 5_000 };
  const everyName =
    "{project}|{agent}|{session}|{summary}|{answer}|{message}|{reason}|{duration}|{tokens}|{branch}|{model}|{cwd}";
  const templates = { Notification: { title: everyName, body: everyName } };
  const limits = { unit: "utf16", title: 5_000, body: 5_000 } as const;

  describe("the detail that a notifier may show", () => {
    test("is everything at level `full`, unmasked unless `mask` is set", () => {
      expect(redactForNotifier({ event, facts }, { detail: "full", mask: false })).toEqual({ event, facts });
    });

    test("is project, agent and kind at level `minimal`, whatever the templates use", () => {
      const seen = redactForNotifier({ event, facts }, { detail: "minimal", mask: false });
      const message = render(seen, { limits, templates });
      expect(JSON.stringify(message)).not.toMatch(/said|4711|ghp_/);
      expect(message).toMatchObject({ project: "shop", agent: "claude", kind: "needs-you" });
      expect(message.title).toContain("shop|Claude Code|");
      const usual = render(seen, { limits, templates: {} });
      expect([usual.title, usual.body]).toEqual(["shop · Claude Code needs you", "Claude Code is waiting for you"]);
    });

    test("has neither a message's own title nor the name of a command at level `minimal`", () => {
      for (const own of [{ headline: `said ${token}` }, { program: `said ${token}` }]) {
        const view = { event: { ...event, ...own }, facts };
        expect(JSON.stringify(redactForNotifier(view, { detail: "minimal", mask: false }))).not.toMatch(/said|ghp_/);
        expect(JSON.stringify(redactForNotifier(view, { detail: "full", mask: true }).event)).not.toContain(token);
      }
    });

    test("is one line of at most 160 graphemes without the last message at level `summary`", () => {
      const long = { ...event, message: `first\n${"word ".repeat(100)}` };
      const seen = redactForNotifier({ event: long, facts }, { detail: "summary", mask: false });
      expect(seen.event.message).toMatch(/^first ⏎ word .*… \(\+\d+ characters\)$/);
      expect([...(seen.event.message ?? "")].length).toBeLessThanOrEqual(160);
      expect(seen.event.lastMessage ?? seen.facts.lastMessage).toBeUndefined();
      expect(seen.facts.title).toBe("said");
    });

    test.each(details)("is masked in every text at level `%s` if `mask` is set", (detail) => {
      const seen = redactForNotifier({ event, facts }, { detail, mask: true });
      const message = render(seen, { limits, templates });
      expect(JSON.stringify(message)).not.toContain(token);
      if (detail !== "minimal") expect(message.body).toContain("[secret]");
    });

    test.each(details)("shows no part of a secret at level `%s`, wherever a line is cut", (detail) => {
      for (let before = 100; before < 180; before += 1) {
        const said = `${"x".repeat(before)} ${token} is the key`;
        const known: Facts = { lastMessage: said, summary: summarize(said) };
        const seen = redactForNotifier({ event: { ...event, message: said }, facts: known }, { detail, mask: true });
        const message = render(seen, { limits, templates });
        expect(JSON.stringify(message)).not.toContain("ghp_");
      }
    });
  });
});

test("a call that has ended or throws at once leaves no timer that could reject later", async () => {
  const clock = new FakeClock();
  expect(await withinBudget(5_000, clock, async () => "sent")).toBe("sent");
  const refuse = () => {
    throw new Error("refused");
  };
  await expect(withinBudget(5_000, clock, async () => refuse())).rejects.toThrow("refused");
  await expect(withinBudget(5_000, clock, refuse)).rejects.toThrow("refused");
  expect(clock.nextMs).toBeUndefined();
});
