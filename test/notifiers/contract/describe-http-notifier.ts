import { describe, expect, test } from "vitest";
import type * as z from "zod";
import type { FailureReason } from "../../../src/core/errors.ts";
import type { Message } from "../../../src/core/message.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { HttpNotifier } from "../../../src/notifiers/shared/http-notifier.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import {
  answer,
  type Behaviour,
  cutBody,
  endlessBody,
  htmlPage,
  inTurn,
  reset,
  silence,
  slowBody,
} from "../../world/hostile-server.ts";
import { type DeliveryResult, deliverTo, event, nowMs } from "./deliver-to.ts";
import { describeTexts } from "./describe-texts.ts";
import { canary, type Expected, type NotifierCase } from "./notifier-case.ts";

/**
 * Registers the contract of a notifier with one HTTP request per message: call it once, in the notifier's own test
 * file.
 */
export function describeHttpNotifier(notifier: HttpNotifier<string, z.ZodObject>, notifierCase: NotifierCase): void {
  const deliver = (behaviour: Behaviour, changes: Partial<Notifier> = {}) =>
    deliverTo(behaviour, notifier, notifierCase, changes);

  test(`${notifier.name} posts once, and the reader sees the rendered text`, async () => {
    const { delivery, requests, lines } = await deliver(notifierCase.success);
    expect(lines).toMatchObject([{ status: "sent", notifier: "it", attempt: 1 }]);
    expect(delivery.status).toBe("sent");
    expect(requests).toHaveLength(1);
    const [request] = requests;
    if (!request) throw new Error("no request");
    notifierCase.valid(request);
    expect(notifierCase.read(request, sample)).toEqual({ title: sample.title, body: sample.body });
  });

  test(`${notifier.name} fails with the right reasons`, async () => {
    const tries = failures(notifier, notifierCase).map((row) =>
      collectFailures([row], async ([, behaviour, expected, changes]) => {
        expectFailure(await deliver(behaviour, changes), expected);
      }),
    );
    expect((await Promise.all(tries)).flat()).toEqual([]);
  });

  if (notifier.fallbackLimits) describeFallback(notifier, notifierCase, deliver);
  describeTexts(notifier, notifierCase);
}

type Deliver = (behaviour: Behaviour) => Promise<DeliveryResult>;

function describeFallback({ name }: Pick<Notifier, "name">, notifierCase: NotifierCase, deliver: Deliver): void {
  describe(`${name}, if markup or size is rejected`, () => {
    test("sends the fallback form once", async () => {
      const { requests, lines } = await deliver(inTurn(answer(413, {}, ""), notifierCase.success));
      expect(requests).toHaveLength(2);
      expect(lines).toMatchObject([{ status: "sent", reason: expect.stringMatching(/^shortened and without markup/) }]);
      for (const request of requests) notifierCase.valid(request);
    });

    test("fails if the fallback form is rejected as well", async () => {
      const result = await deliver(answer(400, {}, ""));
      expect(result.requests).toHaveLength(2);
      expectFailure(result, "rejected");
    });
  });
}

/** A server's misbehaviour, the expected failure, and changes to the notifier. */
type FailureRow = readonly [
  title: string,
  behaviour: Behaviour,
  expected: Expected | FailureReason,
  changes?: Partial<Notifier>,
];

function failures(notifier: Notifier, notifierCase: NotifierCase): readonly FailureRow[] {
  const date = new Date(nowMs + 90_000).toUTCString();
  const auth = (status: number): FailureRow => [
    `${status}`,
    answer(status, {}, "no"),
    { reason: "auth", hinted: true },
  ];
  const oops = (status: number): FailureRow => [
    `${status}`,
    answer(status, {}, "oops"),
    notifierCase.final?.includes(status) ? "rejected" : "unavailable",
  ];
  const portal: FailureRow = ["a captive portal", htmlPage, "unavailable"];
  return [
    ...[401, 403, 404, 410].map(auth),
    ["429 with seconds", answer(429, { "retry-after": "42" }, ""), { reason: "rate-limited", waitMs: 42_000 }],
    ["429 with a date", answer(429, { "retry-after": date }, ""), { reason: "rate-limited", waitMs: 90_000 }],
    ["429 without a header", answer(429, {}, ""), defaultPause(notifier)],
    ["429 with a malformed header", answer(429, { "retry-after": "soon" }, ""), defaultPause(notifier)],
    ...[408, 425, 500].map(oops),
    ["503 with seconds", answer(503, { "retry-after": "7" }, ""), { reason: "unavailable", waitMs: 7_000 }],
    ["a redirect", answer(302, { location: "http://127.0.0.1:1/elsewhere" }), "redirect"],
    ["a connection that is reset", reset, "unavailable"],
    ["an answer that breaks off", cutBody, "unavailable"],
    ...(notifierCase.anySuccess ? [] : [portal]),
    ["silence", silence, "timeout", { budgetMs: 100 }],
    ["an endless body, byte by byte", slowBody(503), "timeout", { budgetMs: 100 }],
    ["an error with an endless body, of which 64 kB are read", endlessBody(503), "unavailable"],
    ...notifierCase.rejections,
  ];
}

function expectFailure(result: DeliveryResult, expected: Expected | FailureReason): void {
  const { reason, waitMs, hinted }: Expected = typeof expected === "string" ? { reason: expected } : expected;
  const [line] = result.lines;
  expect(line?.reason).toMatch(new RegExp(`^${reason}: `));
  const isTransient = ["rate-limited", "unavailable", "timeout"].includes(reason);
  expect(line?.status).toBe(isTransient ? "retrying" : "failed");
  expect(result.delivery.status).toBe(isTransient ? "open" : "failed");
  if (waitMs !== undefined) expect(result.pausedMs).toBe(waitMs);
  if (hinted) expect(result.hint).toMatch(/`\w+`/);
  expect(result.shown).not.toContain(canary);
  expect(result.shown).not.toContain(event.message);
}

/** Rendered message for `event`, with the fields that readers of payloads use. */
const sample = { title: "shop · Claude Code needs you", body: event.message } as Message;

function defaultPause({ rateWaitMs }: Pick<Notifier, "rateWaitMs">): Expected {
  return { reason: "rate-limited", ...(rateWaitMs !== undefined && { waitMs: rateWaitMs }) };
}
