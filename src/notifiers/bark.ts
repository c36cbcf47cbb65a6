import * as z from "zod";
import { defineHttpNotifier } from "../core/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { jsonForm } from "../core/markup.ts";
import { codeOf, isSuccess, jsonOf, notFrom } from "../core/reply.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "../core/server-address.ts";

const urgency = { "needs-you": "timeSensitive", failed: "timeSensitive", finished: "active", info: "passive" } as const;

export const bark = defineHttpNotifier({
  name: "bark",
  summary: "Pushes to an iPhone through Bark.",
  source: "https://github.com/Finb/bark-server/blob/master/docs/API_V2.md",
  settings: z.object({
    deviceKey: secret(z.string().min(1)).describe("The device's key, from the app."),
    server: serverAddress.default("https://api.day.app").describe("A server of your own."),
  }),
  example: { deviceKey: "${env:BARK_KEY}" },
  budgetMs: 10_000,
  // Apple takes 4 KB with everything that the server adds.
  limits: { unit: "bytes", title: 300, body: 2_400, countedAs: jsonForm },
  plainer: { unit: "bytes", title: 150, body: 500, countedAs: jsonForm },
  urgency,
  request: ({ settings: { server, deviceKey }, message: { title, body, kind, project } }) => ({
    url: `${server}/push`,
    body: JSON.stringify({
      device_key: deviceKey,
      title,
      body: body || title,
      level: urgency[kind],
      group: project.slice(0, 60),
    }),
  }),
  judge,
  probe: {
    request: ({ server }) => ({ url: `${server}/ping`, method: "GET" }),
    judge,
  },
});

/** Its own code stands in the body, whatever the status. */
function judge(reply: HttpReply): Refusal | undefined {
  const code = jsonOf(reply)?.["code"];
  if (!isSuccess(reply)) return undefined;
  if (code === 200) return undefined;
  return code === undefined ? notFrom("Bark") : { reason: "rejected", message: `answered with code ${codeOf(code)}` };
}
