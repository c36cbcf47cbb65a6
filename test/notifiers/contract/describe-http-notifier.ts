import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import type { FailureReason } from "../../../src/core/errors.ts";
import type { Limits, Message } from "../../../src/core/message.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { HttpNotifier } from "../../../src/notifiers/shared/http-notifier.ts";
import { clean, cleanLine } from "../../../src/text/clean.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { FakeClock } from "../../world/fake-clock.ts";
import {
  answer,
  type Behaviour,
  type Captured,
  cutBody,
  endlessBody,
  htmlPage,
  reset,
  silence,
  slowBody,
} from "../../world/hostile-server.ts";
import { networkCall, networkPorts } from "../../world/network-call.ts";
import { canary, type Expected, event, hinted, limited, type NotifierCase, nowMs } from "./notifier-case.ts";
import { makeMessage } from "./way.ts";

/** Result of sending `event`, and what was shown about it. */
export interface Sent {
  readonly requests: readonly Captured[];
  readonly reason?: FailureReason | undefined;
  /** Length of the notifier's pause, milliseconds. */
  readonly pausedMs?: number | undefined;
  /** Advice to the user. */
  readonly hint?: string | undefined;
  /** Everything that was written or could be shown. */
  readonly shown: string;
}

/** Expects one request, with the text of `event`. */
export function expectRead(requests: readonly Captured[], notifierCase: NotifierCase): void {
  expect(requests).toHaveLength(1);
  const [request] = requests;
  if (!request) throw new Error("no request");
  notifierCase.valid(request);
  expect(notifierCase.read(request, sample)).toEqual({ title: sample.title, body: sample.body });
}

/** Sends to each misbehaving server, and returns the rows whose failure is not the expected one. */
export async function collectReasons(
  notifier: Notifier,
  notifierCase: NotifierCase,
  send: (behaviour: Behaviour, changes?: Partial<Notifier>) => Promise<Sent>,
): Promise<readonly string[]> {
  const tries = failures(notifier, notifierCase).map((row) =>
    collectFailures([row], async ([, behaviour, expected, changes]) => {
      expectFailure(await send(behaviour, changes), expected);
    }),
  );
  return (await Promise.all(tries)).flat();
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
  const auth = (status: number): FailureRow => [`${status}`, answer(status, {}, "no"), hinted];
  const oops = (status: number): FailureRow => [
    `${status}`,
    answer(status, {}, "oops"),
    notifierCase.final?.includes(status) ? "rejected" : "unavailable",
  ];
  const portal: FailureRow = ["a captive portal", htmlPage, "unavailable"];
  return [
    ...[401, 403, 404, 410].map(auth),
    ["429 with seconds", answer(429, { "retry-after": "42" }, ""), limited(42_000)],
    ["429 with a date", answer(429, { "retry-after": date }, ""), limited(90_000)],
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

/** Expects the failure, with neither a secret nor the event's text in anything that is shown. */
export function expectFailure(sent: Sent, expected: Expected | FailureReason): void {
  const { reason, waitMs, hint }: Expected = typeof expected === "string" ? { reason: expected } : expected;
  expect(sent.reason).toBe(reason);
  if (waitMs !== undefined) expect(sent.pausedMs).toBe(waitMs);
  if (hint) expect(sent.hint).toMatch(hint);
  expect(sent.shown).not.toContain(canary);
  expect(sent.shown).not.toContain(event.message);
}

/** Rendered message for `event`, with the fields that readers of payloads use. */
const sample = { title: "shop · Claude Code needs you", body: event.message } as Message;

function defaultPause({ rateWaitMs }: Pick<Notifier, "rateWaitMs">): Expected {
  return { reason: "rate-limited", ...(rateWaitMs !== undefined && { waitMs: rateWaitMs }) };
}

/** A form of a notifier's messages. */
interface Form {
  readonly limits: Limits;
  readonly isFallback: boolean;
}

/** Lists the forms of a notifier's messages. */
export const listForms = ({ limits, fallbackLimits }: Notifier): readonly Form[] => [
  { limits, isFallback: false },
  ...(fallbackLimits ? [{ limits: fallbackLimits, isFallback: true }] : []),
];

const hostileTexts = (mentions: readonly string[]): readonly string[] => [
  ...mentions,
  "<b>x</b> &amp; <a href='y'>z</a> [l](http://e) *b* _i_ ~s~ `c` ```f``` # h\n> q\n- l\n1. n",
  "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 \u200f עברית \u200e ﷽",
  "\\ \" ' {project} ${x} %s \u0000\u0007\u001b[31m \ud800",
];

/** Makes any text, with parts of hostile ones. */
export function arbitraryText(mentions: readonly string[]): fc.Arbitrary<string> {
  const part = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom(...hostileTexts(mentions)),
    fc.constantFrom(..."\\`*_~>|#+-[](){}<!&@\n\"'"),
  );
  return fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
}

/** Lists hostile and long texts for each form of a notifier's messages. */
function listTexts(notifier: Notifier, mentions: readonly string[]) {
  const escaped = [..."|<>&\\\"'@*`$[", "x\n"].map((bit) => bit.repeat(40_000));
  const texts = [...hostileTexts(mentions), ...escaped, "", "a".repeat(100_000), "👩‍👩‍👧‍👦<&*_@".repeat(4_000)];
  return texts.flatMap((words) =>
    listForms(notifier).map((form) => [`${words.slice(0, 40)}, fallback ${form.isFallback}`, words, form] as const),
  );
}

/**
 * Registers the contract of a notifier's payloads: a hostile text arrives as plain text, whole or cut with a mark.
 * `delivery.test.ts` sends the same case to servers, through the pipeline.
 */
export function describeHttpNotifier(notifier: HttpNotifier<string, z.ZodObject>, notifierCase: NotifierCase): void {
  const settings = notifier.settings.parse(notifierCase.settings("http://127.0.0.1:9"));
  const call = networkCall(settings, {}, networkPorts(new FakeClock(nowMs)));
  const check = (words: string, { limits, isFallback }: Form): void => {
    const message = makeMessage(limits, { title: words, body: words });
    const { url, body = "", headers = {} } = notifier.request({ ...call, message, isFallback });
    const { pathname, search } = new URL(url);
    const request = { body, headers, path: pathname + search };
    notifierCase.valid(request);
    const { title: readTitle, body: readBody } = notifierCase.read(request, message);
    expectCut(readTitle, cleanLine(words) || "shop", message.title);
    expectCut(readBody, clean(words).trim(), message.body);
  };

  describe(`any text for ${notifier.name} gives a valid payload that reads as the text or a marked cut`, () => {
    test("any text", () => {
      fc.assert(fc.property(arbitraryText(notifierCase.mentions), fc.constantFrom(...listForms(notifier)), check), {
        numRuns: 300,
      });
    });

    test("long texts, also of the longest characters when escaped", async () => {
      const rows = listTexts(notifier, notifierCase.mentions);
      expect(await collectFailures(rows, ([, words, form]) => check(words, form))).toEqual([]);
    });
  });
}

/** Expects a reading to match the rendered text, whole or its beginning, an ellipsis and what is left out. */
function expectCut(reading: string, whole: string, rendered: string): void {
  expect(reading).toBe(rendered);
  if (reading === whole) return;
  expect(reading).toMatch(/…(?: \(\+\d+ (?:line|character)s?\))?$/);
  expect(whole.startsWith(reading.slice(0, reading.lastIndexOf("…")))).toBe(true);
}
