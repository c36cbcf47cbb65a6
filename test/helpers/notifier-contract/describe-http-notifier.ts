import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import type { ConfiguredNotifier } from "../../../src/config/config.ts";
import { parseConfig } from "../../../src/config/parse.ts";
import { clean, cleanLine } from "../../../src/core/clean.ts";
import type { FailureReason } from "../../../src/core/errors.ts";
import type { AgentEvent } from "../../../src/core/event.ts";
import type { HttpNotifier } from "../../../src/notifiers/shared/http-notifier.ts";
import type { Limits, Message } from "../../../src/core/message.ts";
import { redactor } from "../../../src/core/secret.ts";
import { createHttp } from "../../../src/io/http.ts";
import { createPorts } from "../../../src/io/ports.ts";
import { attempt } from "../../../src/pipeline/attempt.ts";
import { BrokenNotifiers } from "../../../src/pipeline/broken-notifiers.ts";
import { deliver } from "../../../src/pipeline/deliver.ts";
import { type JournalLine, openJournal, parseJournal } from "../../../src/pipeline/journal.ts";
import { Pauses } from "../../../src/pipeline/pauses.ts";
import { RecentFirings } from "../../../src/pipeline/recent-events.ts";
import { render } from "../../../src/pipeline/render.ts";
import type { Delivery } from "../../../src/pipeline/run-state.ts";
import {
  answer,
  type Behaviour,
  type Captured,
  cutBody,
  endlessBody,
  type HostileServer,
  htmlPage,
  inTurn,
  reset,
  silence,
  slowBody,
  startHostileServer,
} from "../hostile-server.ts";

/** A secret that must show nowhere; 20 characters that no service's own words contain. */
export const canary = "cAnArY4711cAnArY4711";

/** What arrived, as its reader would see it. */
export interface Reading {
  readonly title: string;
  readonly body: string;
}

/** What the contract needs to know of one notifier besides its declaration. */
export interface NotifierCase {
  /** Settings that lead to a server of ours, with `canary` in every secret. */
  settings(origin: string): Readonly<Record<string, unknown>>;
  /** The service's answer to a message it took. */
  readonly success: Behaviour;
  /** Answers of the service's own that mean it did not, with what must come of each. */
  readonly refusals: readonly (readonly [title: string, behaviour: Behaviour, expected: Expected])[];
  /** True where any 2xx is a success by the service's contract, so that a captive portal cannot be told. */
  readonly anySuccess?: true;
  /** What a person reads, decoded from the request, by a real parser where there is one. */
  read(request: Pick<Captured, "body" | "path" | "headers">, message: Message): Reading;
  /** Throws (`expect`) where a payload is not valid or beyond the service's own limit. */
  valid(request: Pick<Captured, "body" | "path" | "headers">): void;
  /** The service's mentions and markup, which must do nothing. */
  readonly mentions: readonly string[];
}

export interface Expected {
  readonly reason: FailureReason;
  /** How long the whole notifier is left alone, milliseconds. */
  readonly waitMs?: number;
  /** Whether the notifier itself must say what to do about it. */
  readonly hinted?: true;
}

const nowMs = Date.parse("2026-11-20T12:00:00Z");
const now = () => nowMs;
const shortBudgetMs = 400;

/** The event every case sends. */
const event: AgentEvent = {
  id: "evt-1",
  atMs: nowMs,
  event: "Notification",
  firing: "Notification",
  agent: "claude",
  kind: "needs-you",
  sessionId: "s-1",
  cwd: "/code/shop",
  project: "shop",
  message: "May I run the tests?",
  extra: {},
};

interface Outcome {
  readonly delivery: Delivery;
  readonly lines: readonly JournalLine[];
  readonly requests: readonly Captured[];
  readonly pausedMs: number;
  /** What the user is told to do. */
  readonly hint: string | undefined;
  /** Everything that was written or could be shown. */
  readonly shown: string;
}

/** Registers the contract of a notifier that is one HTTP request: call it once, in the notifier's own test file. */
export function describeHttpNotifier(notifier: HttpNotifier<string, z.ZodObject>, one: NotifierCase): void {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "beckon-contract-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const configuredFor = async (origin: string): Promise<ConfiguredNotifier> => {
    const entry = { type: notifier.name, ...one.settings(origin) };
    const config = await parseConfig(JSON.stringify({ notifiers: { it: entry }, lookups: [] }));
    expect(config.findings).toEqual([]);
    const configured = config.notifiers.get("it");
    if (!configured) throw new Error("the settings of the case are not valid");
    return configured;
  };

  const outcomeOf = async (behaviour: Behaviour, more: Partial<ConfiguredNotifier["notifier"]> = {}) => {
    const server = await startHostileServer({ "*": behaviour });
    try {
      return await deliverTo(server, await configuredFor(server.origin), more, mkdtempSync(join(root, "case-")));
    } finally {
      await server.close();
    }
  };

  const expectFailure = (outcome: Outcome, { reason, waitMs, hinted }: Expected) => {
    const [line] = outcome.lines;
    expect(line?.reason).toMatch(new RegExp(`^${reason}: `));
    const mayPass = ["rate-limited", "unavailable", "timeout"].includes(reason);
    expect(line?.status).toBe(mayPass ? "retrying" : "failed");
    expect(outcome.delivery.status).toBe(mayPass ? "open" : "failed");
    if (waitMs !== undefined) expect(outcome.pausedMs).toBe(waitMs);
    if (hinted) expect(outcome.hint).toMatch(/`\w+`/);
    expect(outcome.shown).not.toContain(canary);
    expect(outcome.shown).not.toContain(event.message);
  };

  describe(`${notifier.name} at a server that behaves`, () => {
    test("posts once, and what is read is what was said", async () => {
      const { delivery, requests, lines } = await outcomeOf(one.success);
      expect(lines).toMatchObject([{ status: "sent", notifier: "it", attempt: 1 }]);
      expect(delivery.status).toBe("sent");
      expect(requests).toHaveLength(1);
      const [request] = requests;
      if (!request) throw new Error("no request");
      one.valid(request);
      expect(one.read(request, sample)).toEqual({ title: "shop needs you", body: event.message });
    });
  });

  describe(`${notifier.name} at a server that misbehaves`, () => {
    const date = new Date(nowMs + 90_000).toUTCString();
    const moved = answer(302, { location: "http://127.0.0.1:1/elsewhere" });
    const table: [string, Behaviour, Expected][] = [
      ...[401, 403, 404, 410].map((status): [string, Behaviour, Expected] => [
        `${status}`,
        answer(status, {}, "no"),
        { reason: "auth", hinted: true },
      ]),
      ["429 with seconds", answer(429, { "retry-after": "42" }, ""), { reason: "rate-limited", waitMs: 42_000 }],
      ["429 with a date", answer(429, { "retry-after": date }, ""), { reason: "rate-limited", waitMs: 90_000 }],
      ["429 without a word", answer(429, {}, ""), waitByDefault(notifier)],
      ["429 with nonsense", answer(429, { "retry-after": "soon" }, ""), waitByDefault(notifier)],
      ["408", answer(408, {}, ""), { reason: "unavailable" }],
      ["425", answer(425, {}, ""), { reason: "unavailable" }],
      ["500", answer(500, {}, "oops"), { reason: "unavailable" }],
      ["503 with seconds", answer(503, { "retry-after": "7" }, ""), { reason: "unavailable", waitMs: 7_000 }],
      ["a redirect", moved, { reason: "redirect" }],
      ["a broken connection", reset, { reason: "unavailable" }],
      ["an answer cut short", cutBody, { reason: "unavailable" }],
      ...(one.anySuccess
        ? []
        : [["a captive portal", htmlPage, { reason: "unavailable" }] as [string, Behaviour, Expected]]),
      ...one.refusals.map(([title, behaviour, expected]): [string, Behaviour, Expected] => [
        title,
        behaviour,
        expected,
      ]),
    ];
    test.concurrent.each(table)("%s", async (_, behaviour, expected) => {
      expectFailure(await outcomeOf(behaviour), expected);
    });

    test.concurrent.each([
      ["silence", silence],
      ["a slow body", slowBody(503)],
    ] as const)("%s ends at the deadline", async (_, behaviour) => {
      expectFailure(await outcomeOf(behaviour, { budgetMs: shortBudgetMs }), { reason: "timeout" });
    });

    test("an endless answer is read no further than 64 kB", async () => {
      const { lines } = await outcomeOf(endlessBody(503));
      expect(lines[0]?.reason).toMatch(/^unavailable: /);
    });

    test("one that refuses markup or size gets one plainer, shorter message, and never the same twice", async () => {
      const { delivery, requests, lines } = await outcomeOf(inTurn(answer(413, {}, ""), one.success));
      if (!notifier.plainer) {
        expect(requests).toHaveLength(1);
        expect(delivery.status).toBe("failed");
        return;
      }
      expect(requests).toHaveLength(2);
      expect(lines).toMatchObject([{ status: "sent", reason: expect.stringMatching(/^plain and shorter/) }]);
      for (const request of requests) one.valid(request);
      const twice = await outcomeOf(answer(400, {}, ""));
      expect(twice.requests).toHaveLength(2);
      expectFailure(twice, { reason: "rejected" });
    });
  });

  describe(`any text for ${notifier.name}`, () => {
    const hostile = [
      ...one.mentions,
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

    const check = async (
      words: string,
      limits: Limits,
      plain: boolean,
      settings: Readonly<Record<string, unknown>>,
    ) => {
      const templates = { Notification: { title: "{message}", body: "{message}" } };
      const message = render({ ...event, message: clean(words) }, {}, { limits, templates }, {});
      const { url, body = "", headers = {} } = notifier.request({ settings, message, plain, nowMs });
      const { pathname, search } = new URL(url);
      const request = { body, headers, path: pathname + search };
      one.valid(request);
      const { title: readTitle, body: readBody } = one.read(request, message);
      expectCutOf(readTitle, cleanLine(words) || "shop", message.title);
      expectCutOf(readBody, clean(words).trim(), message.body);
    };

    test("gives a valid payload that reads as the text, or a marked cut of it", async () => {
      const settings = notifier.settings.parse(one.settings("http://127.0.0.1:9"));
      const forms = [
        [notifier.limits, false] as const,
        ...(notifier.plainer ? [[notifier.plainer, true] as const] : []),
      ];
      await fc.assert(
        fc.asyncProperty(text, fc.constantFrom(...forms), (words, [limits, plain]) =>
          check(words, limits, plain, settings),
        ),
        { numRuns: 300 },
      );
      // Nothing but what takes the most room once it is escaped.
      const dear = [..."|<>&\\\"'@*`$[", "x\n"].map((bit) => bit.repeat(40_000));
      for (const words of [...hostile, ...dear, "", "a".repeat(1_000_000), "👩‍👩‍👧‍👦<&*_@".repeat(20_000)]) {
        for (const [limits, plain] of forms) await check(words, limits, plain, settings);
      }
    });
  });

  async function deliverTo(
    server: HostileServer,
    configured: ConfiguredNotifier,
    more: Partial<ConfiguredNotifier["notifier"]>,
    folder: string,
  ): Promise<Outcome> {
    const secrets = new Set<string>();
    const redact = (value: string) => redactor(secrets)(value);
    const pauses = new Pauses(join(folder, "pauses.json"));
    const context = {
      config: await parseConfig(JSON.stringify({ notifiers: {}, delivery: { expireMinutes: { "needs-you": 1_440 } } })),
      ports: { ...createPorts(), http: createHttp(now), clock: { now } },
      journal: openJournal(join(folder, "journal"), now, redact),
      recent: new RecentFirings(join(folder, "recent.json")),
      pauses,
      broken: new BrokenNotifiers(join(folder, "broken.json")),
      redact,
      keepSecret: (values: readonly string[]) => values.forEach((value) => void secrets.add(value)),
    };
    const job = { event, facts: {}, configured: { ...configured, notifier: { ...configured.notifier, ...more } } };
    const delivery = await deliver({ ...job, soFar: { status: "open", attempts: 0 }, freshAtMs: nowMs }, context);
    const text = readFileSync(join(folder, "journal", "2026-11.jsonl"), "utf8");
    const requests = [...server.requests];
    // What the attempt itself says, before anything was redacted.
    const again = await attempt(job, { ...context, keepSecret() {} });
    const shown = [text, JSON.stringify(again), inspect(again, { depth: 9 })].join("\n");
    return {
      delivery,
      lines: parseJournal(text),
      requests,
      pausedMs: pauses.untilMs(configured) - nowMs,
      hint: again.failure?.hint,
      shown,
    };
  }
}

/** The message of a case whose words are the event's own. */
const sample = { title: "shop needs you", body: event.message } as Message;

function waitByDefault({ rateWaitMs }: { readonly rateWaitMs?: number }): Expected {
  return { reason: "rate-limited", ...(rateWaitMs !== undefined && { waitMs: rateWaitMs }) };
}

/** What is read is the whole text, or its beginning and an ellipsis; and it is what render made of it. */
function expectCutOf(read: string, whole: string, rendered: string): void {
  expect(read).toBe(rendered);
  if (read === whole) return;
  expect(read).toMatch(/…$/);
  expect(whole.startsWith(read.slice(0, -1))).toBe(true);
}
