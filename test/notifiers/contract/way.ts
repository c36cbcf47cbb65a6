import { expect } from "vitest";
import { DeliveryError } from "../../../src/core/errors.ts";
import type { Limits, Message } from "../../../src/core/message.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { NotifierCall, Receipt } from "../../../src/core/notifier-call.ts";
import { omitUndefined } from "../../../src/core/omit-undefined.ts";
import type { Ports } from "../../../src/core/ports.ts";
import { clean, cleanLine } from "../../../src/text/clean.ts";
import { cut, cutCounted } from "../../../src/text/cut.ts";
import { networkCall, networkPorts } from "../../world/network-call.ts";
import { event } from "./notifier-case.ts";

/** A notifier and where it sends. */
export interface Target {
  readonly notifier: Notifier;
  /** The notifier's settings, as in the configuration. */
  readonly settings: object;
  /** Ports that lead to the receiver; by default those of this process. */
  readonly ports?: Ports;
}

/** Words of a message, its event's id, by default that of `event`, and the digit of its session, by default 0. */
export interface Words {
  readonly message: string;
  readonly id?: string;
  readonly session?: string;
}

/** Result of sending or changing a message. If `failure` is absent, that was done. */
export interface Outcome {
  readonly receipt?: Receipt;
  readonly note?: string;
  readonly failure?: Pick<DeliveryError, "reason" | "message" | "hint" | "retryAfterMs">;
}

export type Verb = "update" | "withdraw";

/** Way of a test's messages to a notifier: straight to its functions, or through the pipeline as the worker's. */
export interface Way {
  send(target: Target, words: Words): Promise<Outcome>;
  change(verb: Verb, target: Target, words: Words & { readonly receipt: Receipt }): Promise<Outcome>;
}

/** Makes the message about `event` that the pipeline renders, cut to the limits, with these texts. */
export function makeMessage(
  limits: Limits,
  { title, body, ...more }: Pick<Message, "title" | "body"> & { id?: string },
) {
  const cutBody = (text: string) => cutCounted(text, limits.body, limits.unit, limits.countedAs);
  const { atMs, nativeEvent: _, extra: __, ...fields } = event;
  const text = clean(body);
  const message = cutBody(text);
  const texts = {
    title: cut(cleanLine(title) || event.project, limits.title, limits.unit, limits.countedAs),
    body: text.trim() === text ? message : cutBody(text.trim()),
  };
  return { ...fields, at: new Date(atMs).toISOString(), session: {}, ...more, ...texts, message } satisfies Message;
}

/** Makes the call for words, as the pipeline does. */
function makeCall(
  { notifier, settings, ports = networkPorts() }: Target,
  { message, id = event.id, session = "0" }: Words,
  title = "shop · Claude Code needs you",
): NotifierCall<Record<string, unknown>> {
  const call = networkCall(
    notifier.settings.parse(settings),
    makeMessage(notifier.limits, { id, title, body: message }),
    ports,
  );
  return { ...call, view: { event: { ...event, id, message }, facts: {} }, thread: { key: session.repeat(32) } };
}

/** Calls a notifier's own functions. A refused message is not sent again in the fallback form. */
export const direct: Way = {
  send: (target, words) => settle(makeCall(target, words), (call) => target.notifier.send(call)),
  change(verb, target, { receipt, ...words }) {
    const { update, withdraw } = target.notifier;
    const call = makeCall(target, words, verb === "withdraw" ? "✓ shop · Claude Code" : undefined);
    return settle(call, async (call) => {
      if (verb === "update") return (update ?? expect.fail("no update"))({ ...call, receipt });
      await (withdraw ?? expect.fail("no withdraw"))({ ...call, receipt });
      return undefined;
    });
  },
};

/** Calls a notifier's function and returns the result, with its remarks or its failure. */
async function settle<Call extends NotifierCall<unknown>>(
  call: Call,
  act: (call: Call) => Promise<Receipt | undefined>,
): Promise<Outcome> {
  const remarks: string[] = [];
  try {
    const receipt = await act({ ...call, remark: (text) => void remarks.push(text) });
    return omitUndefined({ receipt, note: remarks.join("; ") || undefined });
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const { reason, message, hint, retryAfterMs } = error;
    return { failure: { reason, message, ...omitUndefined({ hint, retryAfterMs }) } };
  }
}
