import { describe, expect, test } from "vitest";
import type { FailureReason } from "../../../src/core/errors.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { ChangeCall, Receipt } from "../../../src/core/notifier-call.ts";
import { createPorts } from "../../../src/io/ports.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { type Behaviour, type Captured, startHostileServer } from "../../world/hostile-server.ts";
import { localCall } from "../../world/local-call.ts";

/** A service's answers to a change, for the contract. */
export interface ReplyCase {
  /** Settings for a test server. */
  settings(origin: string): object;
  /** The receipt of a message. */
  readonly receipt: Receipt;
  /** Answers that mean the message can no longer change, which is not a failure. */
  readonly final: readonly (readonly [title: string, reply: Behaviour])[];
  /** Answers that are failures. */
  readonly failures: readonly (readonly [title: string, reply: Behaviour, reason: FailureReason])[];
  /** Number of requests per change; default: 1. */
  readonly requests?: number;
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
  const server = await startHostileServer({ "*": reply });
  try {
    const parsed = notifier.settings.parse(settings(server.origin));
    await notifier.update?.({ ...localCall(parsed, {}), ports: createPorts(), ...call });
    return server.requests;
  } finally {
    await server.close();
  }
}

/** Registers the contract of the answers to an update: call it once, in the notifier's test. */
export function describeReplies(notifier: Notifier, { settings, receipt, requests = 1, ...answers }: ReplyCase): void {
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
