import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { isSuccess, jsonOf, notFrom } from "./shared/reply-rules.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "./shared/server-address.ts";
import { titleAndMessage } from "../core/title-and-message.ts";

const urgency = { "needs-you": 1, failed: 1, finished: 0, info: -1 } as const;
/** An emergency is repeated every minute for an hour, until somebody acknowledges it. */
const emergency = { priority: 2, retry: 60, expire: 3_600 };
/** "Retry no sooner than 5 seconds": https://pushover.net/api#friendly */
const politeMs = 5_000;

/** Pushover. Texts are plain: `html` is never set. */
export const pushover = defineHttpNotifier({
  name: "pushover",
  summary: "Pushes through Pushover.",
  source: "https://pushover.net/api",
  settings: z.object({
    token: secret(z.string().min(1)).describe("Your application's API token."),
    user: secret(z.string().min(1)).describe("Your user key, or a group's."),
    device: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,25}$/, "must be a device's name")
      .optional()
      .describe("One device instead of all of them."),
    emergency: z
      .boolean()
      .default(false)
      .describe("Whether `needs-you` rings every minute, for an hour, until you acknowledge it."),
    server: serverAddress.default("https://api.pushover.net").describe("Where the service is."),
  }),
  example: { token: "${env:PUSHOVER_TOKEN}", user: "${env:PUSHOVER_USER}" },
  budgetMs: 10_000,
  // Characters "of up to 4 bytes": https://pushover.net/api#limits
  limits: { unit: "codePoints", title: 250, body: 1_024 },
  plainer: { unit: "codePoints", title: 100, body: 300 },
  urgency,
  rateWaitMs: politeMs,
  request({ settings: { server, token, user, device, emergency: rings }, message }) {
    const priority = rings && message.kind === "needs-you" ? emergency : { priority: urgency[message.kind] };
    const payload = { token, user, ...titleAndMessage(message), ...priority, ...(device !== undefined && { device }) };
    return { url: `${server}/1/messages.json`, body: JSON.stringify(payload) };
  },
  judge,
  hints: {
    auth: "Check `token` and `user`.",
    "rate-limited": "The month's messages of this application may be used up: https://pushover.net/faq#overview-limits",
  },
  probe: {
    request: ({ server, token, user, device }) => ({
      url: `${server}/1/users/validate.json`,
      body: JSON.stringify({ token, user, ...(device !== undefined && { device }) }),
    }),
    judge,
  },
});

/** A wrong token or user is a 400 like any other mistake; the body names which. */
function judge(reply: HttpReply): Refusal | undefined {
  const { status, token, user } = jsonOf(reply) ?? {};
  const wrong = token === "invalid" ? "token" : user === "invalid" ? "user" : undefined;
  if (wrong) return { reason: "auth", message: `does not know the ${wrong}`, hint: `Check \`${wrong}\`.` };
  if (reply.status >= 500 && reply.headers["retry-after"] === undefined) {
    return { reason: "unavailable", message: `answered ${reply.status}`, retryAfterMs: politeMs };
  }
  if (!isSuccess(reply) || status === 1) return undefined;
  return status === undefined ? notFrom("Pushover") : { reason: "rejected", message: "did not take the message" };
}
