import * as z from "zod";
import { parseReply } from "../core/http-port.ts";
import { secret } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { requireField } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

const receiptSchema = z.object({ iden: z.string().regex(/^[A-Za-z0-9]{1,64}$/) });

/** Notifier for Pushbullet notes, which are plain text. Pushbullet documents no length limit. */
export const pushbullet = defineHttpNotifier({
  name: "pushbullet",
  summary: "Pushes a note through Pushbullet.",
  source: "https://docs.pushbullet.com/#create-push",
  guide: async () => ({
    intro: ["Pushbullet is an app for Android with a free account: https://www.pushbullet.com"],
    where: { token: "At https://www.pushbullet.com/#settings: Create Access Token." },
    ifSilent: [
      "Check that the app on your phone is logged in with the account of this token.",
      "Allow notifications for Pushbullet in the phone's settings.",
    ],
  }),
  audience: "person",
  settings: z.object({
    token: secret(z.string().min(1)).describe("Your access token."),
    deviceIden: z.string().min(1).optional().describe("Push only to the device with this `iden`."),
    server: serverAddress.default("https://api.pushbullet.com").describe("Address of the service."),
  }),
  example: { token: "${env:PUSHBULLET_TOKEN}" },
  limits: { unit: "graphemes", title: 200, body: 2_000 },
  fallbackLimits: { unit: "graphemes", title: 100, body: 300 },
  lifecycle: { withdrawn: "removed", knowsIds: true },
  request: ({ settings: { server, token, deviceIden }, message: { title, body, id } }) => ({
    url: `${server}/v2/pushes`,
    headers: { "access-token": token },
    // Pushbullet pushes only once for requests with the same `guid`: https://docs.pushbullet.com/#create-push
    body: JSON.stringify({ type: "note", title, body, guid: id, device_iden: deviceIden }),
  }),
  receipt: (reply) => receiptSchema.safeParse(parseReply(reply)).data,
  // A push that is dismissed on one device disappears from all devices but stays in the history:
  // https://docs.pushbullet.com/#update-push
  // beckon does not poll for dismissals, because a user who dismisses a push may not have seen the request.
  withdraw: {
    request({ settings: { server, token }, receipt }) {
      const sent = receiptSchema.safeParse(receipt).data;
      if (!sent) return undefined;
      const headers = { "access-token": token };
      return { url: `${server}/v2/pushes/${sent.iden}`, headers, body: JSON.stringify({ dismissed: true }) };
    },
    isGone: (reply) => reply.status === 404 && parseReply(reply)?.["error"] !== undefined,
  },
  classifyReply: requireField("Pushbullet", "iden"),
  hints: { auth: "Check `token`, or create a new one in your account's settings." },
  verification: {
    request: ({ server, token }) => ({ url: `${server}/v2/users/me`, headers: { "access-token": token } }),
  },
});
