import * as z from "zod";
import { secret } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { titleAndMessage } from "./shared/message-text.ts";
import { requireField } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/server-address.ts";

const urgency = { "needs-you": 8, failed: 8, finished: 5, info: 2 } as const;

/** Notifier for a Gotify server. It shows plain text, since no `extras` ask for Markdown. */
export const gotify = defineHttpNotifier({
  name: "gotify",
  summary: "Pushes to a phone through your own Gotify server.",
  source: "https://gotify.net/docs/pushmsg",
  audience: "person",
  settings: z.object({
    server: serverAddress.describe("The server's address."),
    token: secret(z.string().min(1)).describe("The token of an application."),
  }),
  example: { server: "https://push.example.org", token: "${env:GOTIFY_TOKEN}" },
  // The server has no limit, but a proxy in front of it may.
  limits: { unit: "graphemes", title: 200, body: 4_000 },
  fallbackLimits: { unit: "graphemes", title: 100, body: 500 },
  urgency,
  request: ({ settings: { server, token }, message }) => ({
    url: `${server}/message`,
    headers: { "x-gotify-key": token },
    body: JSON.stringify({ ...titleAndMessage(message), priority: urgency[message.kind] }),
  }),
  classifyReply: requireField("Gotify", "id", "number"),
  hints: { auth: "Check `server` and `token`; the token must be that of an application, not of a client." },
  // It does not check the token: an application's token allows nothing but sending a message.
  probe: {
    addressOnly: true,
    request: ({ server }) => ({ url: `${server}/version` }),
    classifyReply: requireField("Gotify", "version"),
  },
});
