import * as z from "zod";
import { isSuccess, parseReply } from "../core/http-port.ts";
import { secret } from "../core/secret.ts";
import { cut } from "../text/cut.ts";
import { buildMessageId, defineHttpNotifier } from "./shared/http-notifier.ts";
import { jsonForm } from "./shared/markup.ts";
import { formatCode, notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

const urgency = { "needs-you": "timeSensitive", failed: "timeSensitive", finished: "active", info: "passive" } as const;
const groupBytes = 100;
/**
 * Escapes a text as the server does, which counts the bytes after escaping. Go writes `<`, `>` and `&` as six bytes
 * each.
 * https://pkg.go.dev/encoding/json#Marshal
 */
const countedAs = (text: string) => jsonForm(text).replace(/[<>&]/g, "\\u003c");

/**
 * Error messages for an unknown device, from the Bark server or from Apple's push service:
 * https://github.com/Finb/bark-server/blob/master/route_push.go
 */
const unknownDevice = /^failed to get device token|\b(BadDeviceToken|DeviceTokenNotForTopic|Unregistered)\b/;

const receiptSchema = z.object({ id: z.string().regex(/^[0-9a-z-]{1,64}$/) });

export const bark = defineHttpNotifier({
  name: "bark",
  summary: "Pushes to an iPhone through Bark.",
  source: "https://github.com/Finb/bark-server/blob/master/docs/API_V2.md",
  guide: async () => ({
    intro: ["Bark is a free app for iPhones. Install it from the App Store, open it, and allow notifications."],
    where: { deviceKey: "In the app's sample address, it is the part after https://api.day.app/." },
    ifSilent: [
      "Compare the key with the one in the app.",
      "Allow notifications for Bark in the iPhone's settings, and check that no Focus is on.",
    ],
  }),
  audience: "person",
  settings: z.object({
    deviceKey: secret(z.string().min(1)).describe("Device key, shown in the app."),
    server: serverAddress.default("https://api.day.app").describe("Address of your own server."),
    whenResolved: z
      .enum(["delete", "keep"])
      .default("keep")
      .describe(
        "`delete` removes resolved messages. This needs Background App Refresh, app 1.5.2 and server 2.2.5; otherwise the phone rings again.",
      ),
  }),
  example: { deviceKey: "${env:BARK_KEY}" },
  // Apple's push service accepts 4,096 bytes, including what the Bark server adds.
  limits: { unit: "bytes", title: 300, body: 3_000, countedAs },
  fallbackLimits: { unit: "bytes", title: 150, body: 500, countedAs },
  lifecycle: {
    withdrawn: "removed",
    condition: "with `whenResolved`; iOS may take a while",
    knowsIds: true,
  },
  urgency,
  request(call) {
    const { server, deviceKey } = call.settings;
    const { title, body, kind, project } = call.message;
    const payload = {
      device_key: deviceKey,
      ...(body === "" ? { body: title } : { title, body }),
      level: urgency[kind],
      group: cut(project, groupBytes, "bytes", countedAs),
      id: buildMessageId(call),
    };
    return { url: `${server}/push`, body: JSON.stringify(payload) };
  },
  // Servers before 2.2.5 ignore ids and would show a request to delete a message as an empty message.
  receipt: (_, call) =>
    call.settings.whenResolved === "delete" ? receiptSchema.safeParse({ id: buildMessageId(call) }).data : undefined,
  // There is no `update`, because the phone may ring for an update. There is no `isGone`, because the server does not
  // report whether the message still exists.
  withdraw: {
    request({ settings: { server, deviceKey, whenResolved }, receipt }) {
      const sent = receiptSchema.safeParse(receipt).data;
      if (!sent || whenResolved === "keep") return undefined;
      return { url: `${server}/push`, body: JSON.stringify({ device_key: deviceKey, id: sent.id, delete: "1" }) };
    },
  },
  // The body has a result code of its own, which may differ from the HTTP status. The message in the body quotes the
  // device key, so that message is not shown.
  classifyReply(reply) {
    const { code, message } = parseReply(reply) ?? {};
    if (isSuccess(reply) && code === 200) return undefined;
    if (typeof message === "string" && unknownDevice.test(message)) {
      return { reason: "auth", message: "does not know the device" };
    }
    if (!isSuccess(reply)) return undefined;
    if (typeof code !== "number") return notFrom("Bark");
    return { reason: code >= 500 ? "unavailable" : "rejected", message: `answered with code ${formatCode(code)}` };
  },
  hints: { auth: "Check `deviceKey` and `server`, and open the app so that it registers the device again." },
  verification: { probesAddressOnly: true, request: ({ server }) => ({ url: `${server}/ping` }) },
});
