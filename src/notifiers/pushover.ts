import * as z from "zod";
import { type HttpReply, isSuccess, parseReply } from "../core/http-port.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { secret } from "../core/secret.ts";
import { duration } from "../text/duration.ts";
import { defineHttpNotifier, withQuery } from "./shared/http-notifier.ts";
import { titleAndMessage } from "./shared/markup.ts";
import { notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

const urgency = { "needs-you": 1, failed: 1, finished: 0, info: -1 } as const;
/** Parameters of an emergency message, which rings every minute for an hour or until the user acknowledges it. */
const emergency = { priority: 2, retry: 60, expire: 3_600 };
/** Parameters of an emergency test message. Later events do not cancel it, so it ends after a minute. */
const testEmergency = { ...emergency, expire: 60 };
/** Shortest pause before a retry after a server error, "no sooner than 5 seconds": https://pushover.net/api#friendly */
const serverErrorPauseMs = 5_000;
/** Shortest interval for polling an emergency's receipt: https://pushover.net/api/receipts */
const receiptPollMs = 5_000;

/** Receipt of an emergency message, valid for a week. Other messages have no receipt. */
const receiptSchema = z.object({ receipt: z.string().regex(/^[A-Za-z0-9]{1,64}$/) });
const isGone = (reply: HttpReply) => parseReply(reply)?.["receipt"] === "not found";

/** Notifier for Pushover. It sends plain text: `html` is never set. */
export const pushover = defineHttpNotifier({
  name: "pushover",
  summary: "Pushes to a phone through Pushover.",
  source: "https://pushover.net/api",
  guide: async () => ({
    intro: ["Pushover is an app for Android and iPhone, bought once after 30 days: https://pushover.net"],
    where: {
      token: "At https://pushover.net/apps/build, create an application; its page shows the token.",
      user: "It is at the top of https://pushover.net once you have logged in.",
    },
    ifSilent: [
      "Check that the app on your phone is logged in with the account of this user key.",
      "Check that the phone is an active device at https://pushover.net, and that no quiet hours are set in the app.",
    ],
  }),
  audience: "person",
  settings: z.object({
    token: secret(z.string().min(1)).describe("API token of your application."),
    user: secret(z.string().min(1)).describe("User or group key."),
    device: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,25}$/, "must be the name of a device")
      .optional()
      .describe("Push only to the device with this name."),
    emergency: z
      .boolean()
      .default(false)
      .describe(
        "Repeat `needs-you` every minute, for up to an hour, until it is resolved or acknowledged. Acknowledging a message works like `beckon seen`.",
      ),
    ttl: duration({ min: "1s", max: "365d" })
      .optional()
      .describe("Time after which messages disappear from your devices. Messages repeated by `emergency` stay."),
    server: serverAddress.default("https://api.pushover.net").describe("Address of the service."),
  }),
  example: { token: "${env:PUSHOVER_TOKEN}", user: "${env:PUSHOVER_USER}" },
  // Pushover counts characters "of up to 4 bytes": https://pushover.net/api#limits
  limits: { unit: "codePoints", title: 250, body: 1_024 },
  fallbackLimits: { unit: "codePoints", title: 100, body: 300 },
  lifecycle: {
    withdrawn: "silenced",
    buttons: ["seen"],
    condition: "with `emergency`",
    reactions: {
      everyMs: receiptPollMs,
      isOn: ({ emergency: rings }) => rings,
      async find({ settings: { server, token }, active, ports, signal }) {
        const acknowledged: Receipt[] = [];
        for (const receipt of active) {
          const sent = receiptSchema.safeParse(receipt).data;
          if (!sent) continue;
          const url = withQuery(`${server}/1/receipts/${sent.receipt}.json`, { token });
          const reply = await ports.http.post({ method: "GET", url, isGone, signal });
          if (parseReply(reply)?.["acknowledged"] === 1) acknowledged.push(receipt);
        }
        return acknowledged;
      },
    },
  },
  urgency,
  rateWaitMs: serverErrorPauseMs,
  request({ settings: { server, token, user, device, emergency: rings, ttl }, message, thread }) {
    const ordinary = { priority: urgency[message.kind], ttl: ttl === undefined ? undefined : Math.ceil(ttl / 1_000) };
    const priority = rings && message.kind === "needs-you" ? (thread ? emergency : testEmergency) : ordinary;
    const payload = { token, user, ...titleAndMessage(message), ...priority, device };
    return { url: `${server}/1/messages.json`, body: JSON.stringify(payload) };
  },
  receipt: (reply) => receiptSchema.safeParse(parseReply(reply)).data,
  withdraw: {
    request({ settings: { server, token }, receipt }) {
      const sent = receiptSchema.safeParse(receipt).data;
      if (!sent) return undefined;
      return { url: `${server}/1/receipts/${sent.receipt}/cancel.json`, body: JSON.stringify({ token }) };
    },
    isGone,
  },
  // For status 400, the body tells whether the token or the user is wrong.
  classifyReply(reply) {
    const { status, token, user } = parseReply(reply) ?? {};
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
  verification: {
    request: ({ server, token, user, device }) => ({
      method: "POST",
      url: `${server}/1/users/validate.json`,
      body: JSON.stringify({ token, user, device }),
    }),
  },
});
