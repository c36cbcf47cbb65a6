import * as z from "zod";
import { isSuccess, parseReply } from "../core/http-port.ts";
import { secret } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { titleAndMessage } from "./shared/markup.ts";
import { notFrom, requireField } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

const urgency = { "needs-you": 8, failed: 8, finished: 5, info: 2 } as const;

/** Receipt of a message. A server never reuses an id, and a new server would reject the old token. */
const receiptSchema = z.object({ id: z.int() });

/** Notifier for a Gotify server. The text is plain, because Gotify reads Markdown only if `extras` ask for it. */
export const gotify = defineHttpNotifier({
  name: "gotify",
  summary: "Pushes to a phone through your own Gotify server.",
  source: "https://gotify.net/docs/pushmsg",
  guide: async () => ({
    intro: ["Gotify is a server of your own, with a free app for Android. Log in to the server in the app."],
    where: {
      server: "It is the address that you open in a browser.",
      token: "On the server's page: Apps → Create Application.",
    },
    ifSilent: [
      "Check that the app on your phone is logged in to this server, and shows a connection.",
      "Allow notifications for Gotify in the phone's settings, and disable battery optimization for it.",
    ],
  }),
  audience: "person",
  settings: z.object({
    server: serverAddress.describe("Address of the server."),
    token: secret(z.string().min(1)).describe("Token of an application."),
    clientToken: secret(z.string().min(1))
      .optional()
      .describe("Token of a client, with which resolved messages are deleted."),
  }),
  example: { server: "https://push.example.org", token: "${env:GOTIFY_TOKEN}" },
  // The server has no limit, but a proxy in front of it may.
  limits: { unit: "graphemes", title: 200, body: 4_000 },
  fallbackLimits: { unit: "graphemes", title: 100, body: 500 },
  lifecycle: { withdrawn: "removed", condition: "with `clientToken`" },
  urgency,
  request: ({ settings: { server, token }, message }) => ({
    url: `${server}/message`,
    headers: { "x-gotify-key": token },
    body: JSON.stringify({ ...titleAndMessage(message), priority: urgency[message.kind] }),
  }),
  receipt: (reply, { settings: { clientToken } }) =>
    clientToken === undefined ? undefined : receiptSchema.safeParse(parseReply(reply)).data,
  withdraw: {
    request({ settings: { server, clientToken }, receipt }) {
      const sent = receiptSchema.safeParse(receipt).data;
      if (!sent || clientToken === undefined) return undefined;
      return { method: "DELETE", url: `${server}/message/${sent.id}`, headers: { "x-gotify-key": clientToken } };
    },
    isGone: (reply) => reply.status === 404 && parseReply(reply)?.["errorCode"] === 404,
    // The server answers a deletion with an empty body.
    classifyReply: (reply) => (isSuccess(reply) && reply.body !== "" ? notFrom("Gotify") : undefined),
  },
  classifyReply: requireField("Gotify", "id", "number"),
  hints: { auth: "Check `server` and the tokens: `token` is that of an application, `clientToken` that of a client." },
  // Checks the address only, because an application's token allows only sending messages.
  verification: {
    probesAddressOnly: true,
    request: ({ server }) => ({ url: `${server}/version` }),
    classifyReply: requireField("Gotify", "version"),
  },
});
