import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import type { Limits } from "../../../src/core/message.ts";
import type { HttpNotifier } from "../../../src/notifiers/shared/http-notifier.ts";
import { render } from "../../../src/pipeline/render.ts";
import { clean, cleanLine } from "../../../src/text/clean.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { event, nowMs } from "./deliver-to.ts";
import type { NotifierCase } from "./notifier-case.ts";

const runs = 300;

/** Registers the tests that a hostile text arrives as plain text, whole or cut with a mark. */
export function describeTexts(notifier: HttpNotifier<string, z.ZodObject>, notifierCase: NotifierCase): void {
  const settings = notifier.settings.parse(notifierCase.settings("http://127.0.0.1:9"));
  const forms = [
    { limits: notifier.limits, isFallback: false },
    ...(notifier.fallbackLimits ? [{ limits: notifier.fallbackLimits, isFallback: true }] : []),
  ];
  const hostile = [
    ...notifierCase.mentions,
    "<b>x</b> &amp; <a href='y'>z</a> [l](http://e) *b* _i_ ~s~ `c` ```f``` # h\n> q\n- l\n1. n",
    "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 \u200f עברית \u200e ﷽",
    "\\ \" ' {project} ${x} %s \u0000\u0007\u001b[31m \ud800",
  ];
  const part = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom(...hostile),
    fc.constantFrom(..."\\`*_~>|#+-[](){}<!&@\n\"'"),
  );
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));

  const check = (words: string, { limits, isFallback }: { limits: Limits; isFallback: boolean }): void => {
    const templates = { Notification: { title: "{message}", body: "{message}" } };
    const message = render({ ...event, message: clean(words) }, {}, { limits, templates }, {});
    const { url, body = "", headers = {} } = notifier.request({ settings, message, isFallback, nowMs });
    const { pathname, search } = new URL(url);
    const request = { body, headers, path: pathname + search };
    notifierCase.valid(request);
    const { title: readTitle, body: readBody } = notifierCase.read(request, message);
    expectCut(readTitle, cleanLine(words) || "shop", message.title);
    expectCut(readBody, clean(words).trim(), message.body);
  };

  describe(`any text for ${notifier.name} gives a valid payload that reads as the text or a marked cut`, () => {
    test("any text", () => {
      fc.assert(
        fc.property(text, fc.constantFrom(...forms), (words, form) => check(words, form)),
        { numRuns: runs },
      );
    });

    test("long texts, also of the longest characters when escaped", async () => {
      const escaped = [..."|<>&\\\"'@*`$[", "x\n"].map((bit) => bit.repeat(40_000));
      const texts = [...hostile, ...escaped, "", "a".repeat(1_000_000), "👩‍👩‍👧‍👦<&*_@".repeat(20_000)];
      const rows = texts.flatMap((words) =>
        forms.map((form) => [`${words.slice(0, 40)}, fallback ${form.isFallback}`, words, form] as const),
      );
      expect(await collectFailures(rows, ([, words, form]) => check(words, form))).toEqual([]);
    });
  });
}

/** Expects a reading to match the rendered text, either whole or its beginning and an ellipsis. */
function expectCut(reading: string, whole: string, rendered: string): void {
  expect(reading).toBe(rendered);
  if (reading === whole) return;
  expect(reading).toMatch(/…$/);
  expect(whole.startsWith(reading.slice(0, -1))).toBe(true);
}
