import { describe, expect, test } from "vitest";
import type * as z from "zod";
import type { DeliveryError } from "../../../src/core/errors.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { ChangeCall, Receipt } from "../../../src/core/notifier-call.ts";
import type { HttpNotifier } from "../../../src/notifiers/shared/http-notifier.ts";
import { catchDeliveryError } from "../../world/catch-delivery-error.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { fixDate } from "../../world/fixed-date.ts";
import {
  answer,
  type Behaviour,
  type Captured,
  htmlPage,
  openHostileServer,
  startHostileServer,
} from "../../world/hostile-server.ts";
import { networkCall, networkPorts } from "../../world/network-call.ts";
import { useShared } from "../../world/use.ts";
import { describeChanges } from "./describe-changes.ts";
import { describeHttpNotifier } from "./describe-http-notifier.ts";
import { describeReactions } from "./describe-reactions.ts";
import { type Cases, canary, type ProbeCase, type ReplyCase } from "./notifier-case.ts";

/**
 * Registers the contracts that a notifier has cases for. The notifier is called without the pipeline;
 * `delivery.test.ts` runs the same cases through the pipeline.
 */
export function describeNotifier(notifier: Notifier, { httpCase, httpCases = [], ...cases }: Partial<Cases>): void {
  for (const notifierCase of [httpCase ?? [], httpCases].flat()) {
    describe(notifierCase.variant ?? "a message", () => {
      fixDate(); // Standard Webhooks refuses what is five minutes old
      describeHttpNotifier(notifier as HttpNotifier<string, z.ZodObject>, notifierCase);
    });
  }
  if (cases.changeCase) describeChanges(notifier, cases.changeCase);
  if (cases.replyCase) describeReplies(notifier, cases.replyCase);
  if (cases.reactionCase) describeReactions(notifier, cases.reactionCase);
  if (cases.probeCase) describeProbe(notifier, cases.probeCase, httpCase?.settings);
}

/** Updates a receipt's message at a server with this answer. Returns the requests. */
export async function updateAt(
  notifier: Notifier,
  settings: ReplyCase["settings"],
  {
    reply,
    ...call
  }: { readonly receipt: Receipt; readonly reply: Behaviour } & Partial<
    Pick<ChangeCall<unknown>, "ports" | "isFallback">
  >,
): Promise<readonly Captured[]> {
  const server = await openHostileServer({ "*": reply });
  const parsed = notifier.settings.parse(settings(server.origin));
  await notifier.update?.({ ...networkCall(parsed), ...call });
  return server.requests;
}

/** Registers the contract of the answers to an update. */
function describeReplies(notifier: Notifier, { settings, receipt, requests = 1, ...answers }: ReplyCase): void {
  const update = (reply: Behaviour) => updateAt(notifier, settings, { receipt, reply });

  describe(`an answer of ${notifier.name} to a change`, () => {
    test("is not a failure if the message can no longer change", async () => {
      const check = async ([, reply]: ReplyCase["final"][number]) => expect(await update(reply)).toHaveLength(requests);
      expect(await collectFailures(answers.final, check)).toEqual([]);
    });

    test("is a failure otherwise", async () => {
      const check = ([, reply, reason]: ReplyCase["failures"][number]) =>
        expect(update(reply)).rejects.toMatchObject({ reason });
      expect(await collectFailures(answers.failures, check)).toEqual([]);
    });
  });
}

/** Registers the contract of a notifier's `probe`. */
function describeProbe(notifier: Notifier, probeCase: ProbeCase, otherSettings: ProbeCase["settings"]): void {
  let behave: Behaviour = probeCase.success;
  const server = useShared("close", () =>
    startHostileServer({ "*": (request, response) => behave(request, response) }),
  );

  const probe = async (behaviour: Behaviour): Promise<void> => {
    behave = behaviour;
    const makeSettings = probeCase.settings ?? otherSettings ?? expect.fail("no settings");
    const settings = notifier.settings.parse(makeSettings(server.origin));
    await notifier.verification?.probe?.({ settings, ports: networkPorts(), signal: AbortSignal.timeout(5_000) });
  };

  describe(`the probe of ${notifier.name}`, () => {
    test("makes one request and sends no message", async () => {
      expect(notifier.verification?.probe).toBeDefined();
      expect(notifier.verification?.probesAddressOnly).toBe(probeCase.addressOnly);
      server.requests.length = 0;
      await probe(probeCase.success);
      expect(server.requests).toMatchObject([probeCase.asks]);
    });

    const table: [string, Behaviour, DeliveryError["reason"]][] = [
      ["a captive portal", htmlPage, "unavailable"],
      ["another program's JSON", answer(200, {}, "{}"), "unavailable"],
      ["a server error", answer(500), "unavailable"],
      ["a wrong address", answer(404), "auth"],
    ];
    if (!probeCase.addressOnly) table.push(["wrong credentials", answer(401, {}, "{}"), "auth"]);
    test("fails with a hint and without a secret", async () => {
      const check = async ([, behaviour, reason]: (typeof table)[number]) => {
        const error = await catchDeliveryError(probe(behaviour));
        expect(error.reason).toBe(reason);
        if (reason === "auth") expect(error.hint).toMatch(/`\w+`/);
        expect(error.message).not.toContain(canary);
      };
      expect(await collectFailures(table, check)).toEqual([]);
    });
  });
}
