import type * as z from "zod";
import type { Message } from "../../../src/core/message.ts";
import type { HttpNotifier, OutgoingRequest, RequestParts } from "../../../src/notifiers/shared/http-notifier.ts";

type Notifier = HttpNotifier<string, z.ZodObject>;
type Changes = Omit<Partial<RequestParts<unknown>>, "settings" | "message"> & { readonly message?: Partial<Message> };

/** The parts of a request: a message of the kind `finished` with the title `t` and the body `b`, or as changed. */
function makeParts(notifier: Notifier, settings: object, { message, ...more }: Changes = {}) {
  const whole = { id: "m", title: "t", body: "b", kind: "finished", ...message } as Message;
  return { settings: notifier.settings.parse(settings), message: whole, isFallback: false, nowMs: 0, ...more };
}

/** The request that a notifier makes of these parts. */
export const makeRequest = (notifier: Notifier, settings: object, changes?: Changes): OutgoingRequest =>
  notifier.request(makeParts(notifier, settings, changes));

/** The body of that request, read as JSON. */
export const makePayload = (notifier: Notifier, settings: object, changes?: Changes) =>
  JSON.parse(makeRequest(notifier, settings, changes).body ?? "");

/** The receipt that a notifier takes from a reply with this JSON. */
export const readReceipt = (notifier: Notifier, settings: object, reply: unknown, changes?: Changes) =>
  notifier.receipt?.({ status: 200, headers: {}, body: JSON.stringify(reply) }, makeParts(notifier, settings, changes));
