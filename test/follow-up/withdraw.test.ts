import { beforeEach, describe, expect, test } from "vitest";
import { DeliveryError } from "../../src/core/errors.ts";
import type { Notifier } from "../../src/core/notifier.ts";
import type { ChangeCall, Receipt } from "../../src/core/notifier-call.ts";
import { change } from "../../src/follow-up/withdraw.ts";
import { type AttemptContext, attempt } from "../../src/pipeline/attempt.ts";
import { eventAt } from "../world/arriving-events.ts";
import { canary, DeliveryWorld, makeConfig, startMs } from "../world/delivery-world.ts";
import { probeNotifier } from "../world/probe-notifier.ts";

let world: DeliveryWorld;
let context: AttemptContext;
beforeEach(async () => {
  world = new DeliveryWorld();
  context = world.worker(await makeConfig({}));
});

const event = eventAt("Notification", 0, { id: "one", atMs: startMs, message: "May I run the tests?" });
const receipt = { id: 7 };
const thread = { key: "0123456789abcdef0123456789abcdef", previous: receipt };

/** Requests made to a notifier. */
type Asked = readonly [verb: string, call: ChangeCall<unknown>];

/** Makes an event that was sent by a notifier with a test's behaviour, whose requests are recorded in `asked`. */
function sentBy(more: Partial<Notifier>, asked: Asked[] = []) {
  const note = (verb: string) => async (call: ChangeCall<unknown>) => void asked.push([verb, call]);
  const notifier = probeNotifier({
    send: async () => receipt,
    update: (call) => note("update")(call).then(() => undefined),
    withdraw: note("withdraw"),
    ...more,
  });
  return { event, facts: {}, receipt, thread, configured: { name: "probe", notifier, settings: {}, templates: {} } };
}

describe("an attempt", () => {
  test.each([
    ["of 512 bytes is kept", 512, true],
    ["above the limit is dropped, as the receiver made it", 513, false],
    ["of a megabyte is dropped", 1_000_000, false],
  ])("a receipt %s", async (_, bytes, isKept) => {
    const large = { id: "é".padEnd(bytes - '{"id":"é"}'.length, "x") };
    const result = await attempt(sentBy({ send: async () => large }), context);
    expect(result).toEqual(isKept ? { receipt: large } : {});
  });

  test("returns the fallback's receipt if the first form was rejected", async () => {
    const send = async ({ isFallback }: { isFallback: boolean }): Promise<Receipt> => {
      if (!isFallback) throw new DeliveryError("rejected", "no markup", { status: 400 });
      return { id: 8 };
    };
    const result = await attempt(sentBy({ send, fallbackLimits: { unit: "utf16", title: 9, body: 9 } }), context);
    expect(result).toEqual({ receipt: { id: 8 }, note: "shortened and without markup, since no markup" });
  });
});

describe("a change", () => {
  test("that updates shows the event's current text, with the receipt", async () => {
    const asked: Asked[] = [];
    expect(await change("update", sentBy({}, asked), context)).toEqual({});
    expect(asked).toMatchObject([
      ["update", { receipt, thread, message: { title: "shop · Claude Code needs you", body: event.message } }],
    ]);
  });

  test("that withdraws uses the user's own words if set", async () => {
    const asked: Asked[] = [];
    const config = await makeConfig({ templates: { done: { title: "{project}: over", body: "nothing to do" } } });
    await change("withdraw", sentBy({}, asked), { ...context, config });
    expect(asked).toMatchObject([["withdraw", { message: { title: "shop: over", body: "nothing to do" } }]]);
  });

  test("returns the replacing receipt", async () => {
    const update = async (): Promise<Receipt> => ({ id: 8 });
    expect(await change("update", sentBy({ update }), context)).toEqual({ receipt: { id: 8 } });
  });

  test.each(["update", "withdraw"] as const)("to %s is unsupported if the notifier lacks the verb", async (verb) => {
    const { failure } = await change(verb, sentBy({ [verb]: undefined }), context);
    const message = `the notifier cannot ${verb} its messages`;
    expect(failure).toEqual({ reason: "unsupported", message, isTransient: false });
  });

  test("keeps the message's detail level and masks outgoing text", async () => {
    const asked: Asked[] = [];
    const sent = sentBy({ reach: "network" }, asked);
    const secret = `sk-ant-api03-${"a1B2c3D4".repeat(5)}`;
    await change("withdraw", { ...sent, event: { ...event, message: `key ${secret}` } }, context);
    const { configured } = sent;
    await change("withdraw", { ...sent, configured: { ...configured, detail: "minimal" } }, context);
    expect(JSON.stringify(asked.map(([, { message }]) => message))).not.toContain(secret);
    expect(asked.map(([, { message }]) => message.body)).toEqual([expect.stringMatching(/^key /), ""]);
  });
});

describe.each(["update", "withdraw"] as const)("a failed %s", (verb) => {
  test.each([
    [new DeliveryError("rate-limited", "no", { retryAfterMs: 5_000 }), "rate-limited", true, 5_000],
    [new DeliveryError("auth", "answered 401"), "auth", false, undefined],
    [new TypeError(canary), "bug", false, undefined],
  ])("is classified like a failed send: %s", async (error, reason, isTransient, retryAfterMs) => {
    const { failure } = await change(verb, sentBy({ [verb]: () => Promise.reject(error) }), context);
    expect(failure).toMatchObject({ reason, isTransient });
    expect(failure?.retryAfterMs).toBe(retryAfterMs);
    expect(JSON.stringify(failure)).not.toContain(canary);
  });

  test("that never ends stops at the notifier's budget", async () => {
    const { failure } = await change(verb, sentBy({ [verb]: () => new Promise(() => {}), budgetMs: 50 }), context);
    expect(failure).toMatchObject({ reason: "timeout", isTransient: true });
  });

  test("is retried once, shorter and without markup, if these may be the cause", async () => {
    const calls: boolean[] = [];
    const act = async ({ isFallback }: { isFallback: boolean }) => {
      calls.push(isFallback);
      if (!isFallback) throw new DeliveryError("rejected", "no markup", { status: 400 });
      return undefined;
    };
    const sent = sentBy({ [verb]: act, fallbackLimits: { unit: "utf16", title: 9, body: 9 } });
    expect((await change(verb, sent, context)).failure).toBeUndefined();
    expect(calls).toEqual([false, true]);
  });
});
