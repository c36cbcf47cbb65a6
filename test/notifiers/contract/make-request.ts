import type * as z from "zod";
import type { Message } from "../../../src/core/message.ts";
import type { HttpNotifier, OutgoingRequest, RequestParts } from "../../../src/notifiers/shared/http-notifier.ts";

type Notifier = HttpNotifier<string, z.ZodObject>;
type Changes = Omit<Partial<RequestParts<unknown>>, "settings" | "message"> & { readonly message?: Partial<Message> };

/** Makes the parts of a request: a message of kind `finished` with title `t` and body `b`, or with these changes. */
function makeParts(notifier: Notifier, settings: object, { message, ...more }: Changes = {}) {
  const whole = { id: "m", title: "t", body: "b", kind: "finished", ...message } as Message;
  return { settings: notifier.settings.parse(settings), message: whole, isFallback: false, nowMs: 0, ...more };
}

/** Builds the notifier's request from these parts. */
export const makeRequest = (notifier: Notifier, settings: object, changes?: Changes): OutgoingRequest =>
  notifier.request(makeParts(notifier, settings, changes));

/** Builds the notifier's request, and parses its body as JSON. */
export const makePayload = (notifier: Notifier, settings: object, changes?: Changes) =>
  JSON.parse(makeRequest(notifier, settings, changes).body ?? "");

/** Reads the notifier's receipt from a reply with this JSON. */
export const readReceipt = (notifier: Notifier, settings: object, reply: unknown, changes?: Changes) =>
  notifier.receipt?.({ status: 200, headers: {}, body: JSON.stringify(reply) }, makeParts(notifier, settings, changes));
