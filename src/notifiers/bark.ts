import * as z from "zod";
import { cut } from "../core/cut.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { jsonForm } from "./shared/markup.ts";
import { codeOf, isSuccess, jsonOf, notFrom } from "./shared/reply-rules.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "./shared/server-address.ts";

const urgency = { "needs-you": "timeSensitive", failed: "timeSensitive", finished: "active", info: "passive" } as const;
const groupBytes = 100;
/** The server writes Apple's JSON in Go, where `<`, `>` and `&` have six bytes. https://pkg.go.dev/encoding/json#Marshal */
const countedAs = (text: string) => jsonForm(text).replace(/[<>&]/g, "\\u003c");

/** A device with the Bark app. */
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
  // Apple takes 4,096 bytes with everything that the server adds.
  limits: { unit: "bytes", title: 300, body: 3_000, countedAs },
  plainer: { unit: "bytes", title: 150, body: 500, countedAs },
  urgency,
  request: ({ settings: { server, deviceKey }, message: { title, body, kind, project } }) => ({
    url: `${server}/push`,
    body: JSON.stringify({
      device_key: deviceKey,
      ...(body === "" ? { body: title } : { title, body }),
      level: urgency[kind],
      group: cut(project, groupBytes, "bytes", countedAs),
    }),
  }),
  judge,
  hints: { auth: "Check `deviceKey` and `server`; open the app, so that it registers again." },
  probe: {
    addressOnly: true,
    request: ({ server }) => ({ url: `${server}/ping`, method: "GET" }),
    judge,
  },
});

/**
 * A device that is not known, in the words of the server and of Apple's service behind it:
 * https://github.com/Finb/bark-server/blob/master/route_push.go
 */
const unknownDevice = /^failed to get device token|\b(BadDeviceToken|DeviceTokenNotForTopic|Unregistered)\b/;

/** Its own code stands in the body, whatever the status; what it says quotes the device's key. */
function judge(reply: HttpReply): Refusal | undefined {
  const { code, message } = jsonOf(reply) ?? {};
  if (isSuccess(reply) && code === 200) return undefined;
  if (typeof message === "string" && unknownDevice.test(message)) {
    return { reason: "auth", message: "does not know the device" };
  }
  if (!isSuccess(reply)) return undefined;
  if (typeof code !== "number") return notFrom("Bark");
  return { reason: code >= 500 ? "unavailable" : "rejected", message: `answered with code ${codeOf(code)}` };
}
