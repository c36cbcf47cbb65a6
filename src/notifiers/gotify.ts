import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { provenBy } from "./shared/reply-rules.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "./shared/server-address.ts";
import { titleAndMessage } from "../core/title-and-message.ts";

const urgency = { "needs-you": 8, failed: 8, finished: 5, info: 2 } as const;

/** A Gotify server. Texts are shown as plain text: no `extras` ask for Markdown. */
export const gotify = defineHttpNotifier({
  name: "gotify",
  summary: "Pushes through a Gotify server of your own.",
  source: "https://gotify.net/docs/pushmsg",
  settings: z.object({
    server: serverAddress.describe("Your server's address."),
    token: secret(z.string().min(1)).describe("An application's token."),
  }),
  example: { server: "https://push.example.org", token: "${env:GOTIFY_TOKEN}" },
  budgetMs: 10_000,
  // The server sets no limit; a proxy before it may.
  limits: { unit: "graphemes", title: 200, body: 4_000 },
  plainer: { unit: "graphemes", title: 100, body: 500 },
  urgency,
  request: ({ settings: { server, token }, message }) => ({
    url: `${server}/message`,
    headers: { "x-gotify-key": token },
    body: JSON.stringify({ ...titleAndMessage(message), priority: urgency[message.kind] }),
  }),
  judge: provenBy("Gotify", "id", "number"),
  hints: { auth: "Check `server`, and `token`: it must be an application's, not a client's." },
  // It says nothing of the token: nothing but a message can be asked with an application's.
  probe: {
    addressOnly: true,
    request: ({ server }) => ({ url: `${server}/version`, method: "GET" }),
    judge: provenBy("Gotify", "version"),
  },
});
