import type * as z from "zod";
import type { Message } from "../../../src/core/message.ts";
import type { NotifierCall } from "../../../src/core/notifier-call.ts";
import type { HttpNotifier, OutgoingRequest } from "../../../src/notifiers/shared/http-notifier.ts";
import { FakeClock } from "../../world/fake-clock.ts";
import { networkCall, networkPorts } from "../../world/network-call.ts";

type Notifier = HttpNotifier<string, z.ZodObject>;
type Changes = Omit<Partial<NotifierCall<unknown>>, "settings" | "message"> & {
  readonly message?: Partial<Message>;
  readonly nowMs?: number;
};

/** Makes the call for a message of kind `finished` with id `m`, title `t` and body `b`, or with these changes. */
function makeCall(notifier: Notifier, settings: object, { message, nowMs = 0, ...more }: Changes = {}) {
  const texts = { id: "m", title: "t", body: "b", kind: "finished", ...message } as const;
  return { ...networkCall(notifier.settings.parse(settings), texts, networkPorts(new FakeClock(nowMs))), ...more };
}

/** Builds the notifier's request for this call. */
export const makeRequest = (notifier: Notifier, settings: object, changes?: Changes): OutgoingRequest =>
  notifier.request(makeCall(notifier, settings, changes));

/** Builds the notifier's request, and parses its body as JSON. */
export const makePayload = (notifier: Notifier, settings: object, changes?: Changes) =>
  JSON.parse(makeRequest(notifier, settings, changes).body ?? "");

/** Reads the notifier's receipt from a reply with this JSON. */
export const readReceipt = (notifier: Notifier, settings: object, reply: unknown, changes?: Changes) =>
  notifier.receipt?.({ status: 200, headers: {}, body: JSON.stringify(reply) }, makeCall(notifier, settings, changes));
