import * as z from "zod";
import { isSuccess, jsonOf } from "../core/http-port.ts";
import { secret } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { titleAndMessage } from "./shared/message-text.ts";
import { notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/server-address.ts";

const urgency = { "needs-you": 1, failed: 1, finished: 0, info: -1 } as const;
/** Parameters of an emergency, repeated every minute for an hour or until somebody acknowledges it. */
const emergency = { priority: 2, retry: 60, expire: 3_600 };
/** Shortest pause after a server error, "no sooner than 5 seconds": https://pushover.net/api#friendly */
const serverErrorPauseMs = 5_000;

/** Notifier for Pushover. It sends plain text: `html` is never set. */
export const pushover = defineHttpNotifier({
  name: "pushover",
  summary: "Pushes to a phone through Pushover.",
  source: "https://pushover.net/api",
  audience: "person",
  settings: z.object({
    token: secret(z.string().min(1)).describe("The API token of your application."),
    user: secret(z.string().min(1)).describe("Your user key, or that of a group."),
    device: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,25}$/, "must be the name of a device")
      .optional()
      .describe("The name of a device, to push to it alone."),
    emergency: z
      .boolean()
      .default(false)
      .describe("Whether `needs-you` is repeated every minute, for an hour or until you acknowledge it."),
    server: serverAddress.default("https://api.pushover.net").describe("The address of the service."),
  }),
  example: { token: "${env:PUSHOVER_TOKEN}", user: "${env:PUSHOVER_USER}" },
  // Characters "of up to 4 bytes": https://pushover.net/api#limits
  limits: { unit: "codePoints", title: 250, body: 1_024 },
  fallbackLimits: { unit: "codePoints", title: 100, body: 300 },
  urgency,
  rateWaitMs: serverErrorPauseMs,
  request({ settings: { server, token, user, device, emergency: rings }, message }) {
    const priority = rings && message.kind === "needs-you" ? emergency : { priority: urgency[message.kind] };
    const payload = { token, user, ...titleAndMessage(message), ...priority, device };
    return { url: `${server}/1/messages.json`, body: JSON.stringify(payload) };
  },
  // The body says whether a 400 is due to a wrong token or user.
  classifyReply(reply) {
    const { status, token, user } = jsonOf(reply) ?? {};
    const wrong = token === "invalid" ? "token" : user === "invalid" ? "user" : undefined;
    if (wrong) return { reason: "auth", message: `does not know the ${wrong}`, hint: `Check \`${wrong}\`.` };
    if (reply.status >= 500 && reply.headers["retry-after"] === undefined) {
      return { reason: "unavailable", message: `answered ${reply.status}`, retryAfterMs: serverErrorPauseMs };
    }
    if (!isSuccess(reply) || status === 1) return undefined;
    return status === undefined ? notFrom("Pushover") : { reason: "rejected", message: "did not accept the message" };
  },
  hints: {
    auth: "Check `token` and `user`.",
    "rate-limited":
      "This application's messages for the month may be used up: https://pushover.net/faq#overview-limits",
  },
  probe: {
    request: ({ server, token, user, device }) => ({
      method: "POST",
      url: `${server}/1/users/validate.json`,
      body: JSON.stringify({ token, user, device }),
    }),
  },
});
