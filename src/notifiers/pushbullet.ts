import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { provenBy } from "./shared/reply-rules.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "./shared/server-address.ts";

/** Pushbullet notes, which are plain text. The service documents no limit of their length. */
export const pushbullet = defineHttpNotifier({
  name: "pushbullet",
  summary: "Pushes a note through Pushbullet.",
  source: "https://docs.pushbullet.com/#create-push",
  settings: z.object({
    token: secret(z.string().min(1)).describe("An access token."),
    deviceIden: z.string().min(1).optional().describe("One device instead of all of them."),
    server: serverAddress.default("https://api.pushbullet.com").describe("Where the service is."),
  }),
  example: { token: "${env:PUSHBULLET_TOKEN}" },
  budgetMs: 10_000,
  limits: { unit: "graphemes", title: 200, body: 2_000 },
  plainer: { unit: "graphemes", title: 100, body: 300 },
  request: ({ settings: { server, token, deviceIden }, message: { title, body, id } }) => ({
    url: `${server}/v2/pushes`,
    headers: { "access-token": token },
    body: JSON.stringify({
      type: "note",
      title,
      body,
      guid: id, // the same for every attempt: https://docs.pushbullet.com/#create-push
      ...(deviceIden !== undefined && { device_iden: deviceIden }),
    }),
  }),
  judge: provenBy("Pushbullet", "iden"),
  hints: { auth: "Check `token`; make a new one in your account's settings if need be." },
  probe: {
    request: ({ server, token }) => ({
      url: `${server}/v2/users/me`,
      method: "GET",
      headers: { "access-token": token },
    }),
    judge: provenBy("Pushbullet", "iden"),
  },
});
