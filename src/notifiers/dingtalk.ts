import * as z from "zod";
import { parseReply, type Rejection } from "../core/http-port.ts";
import { secret, secretUrl } from "../core/secret.ts";
import { defineHttpNotifier, hmacBase64, withQuery } from "./shared/http-notifier.ts";
import { jsonForm, keywordSetting, textWithKeyword } from "./shared/markup.ts";
import { classifyByCode } from "./shared/reply-rules.ts";

const robotGone: Rejection = {
  reason: "auth",
  message: "no such robot",
  hint: "Check that the robot is still in its group and enabled.",
};
const forbidden: Rejection = {
  reason: "auth",
  message: "the robot's security settings",
  hint: "Check `secret` and `keyword`, the IP addresses the robot allows, and the clock: signatures expire after an hour.",
};

const classifyReply = classifyByCode({
  service: "DingTalk",
  field: "errcode",
  meanings: [
    [[-1], { reason: "unavailable", message: "the service is busy" }],
    [[130101, 410100], { reason: "rate-limited", message: "more than 20 messages a minute" }],
    [[300005, 400013, 400101, 400102, 400106], robotGone],
    [[310000], forbidden],
  ],
  hint: "Look up the code in the documentation of DingTalk robots.",
});

/** Notifier for a DingTalk (钉钉) group robot. It posts plain text. The list `at` is empty, so `@` mentions nobody. */
export const dingtalk = defineHttpNotifier({
  name: "dingtalk",
  summary: "Posts to a DingTalk (钉钉) group through a custom robot.",
  source: "https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages",
  guide: async () => ({ where: { url: "In the group: Group Settings → Bot → Add Robot → Custom." } }),
  audience: "team",
  settings: z.object({
    url: secretUrl("The robot's webhook, `https://oapi.dingtalk.com/robot/send?access_token=…`."),
    secret: secret(z.string().min(1)).optional().describe("Signing secret, `SEC…`, if the robot checks signatures."),
    keyword: keywordSetting,
  }),
  example: { url: "${env:DINGTALK_WEBHOOK_URL}", secret: "${env:DINGTALK_SECRET}" },
  // DingTalk documents no limit for custom robots. The limit for app robots is 15,000 bytes.
  limits: { unit: "bytes", title: 500, body: 10_000, countedAs: jsonForm },
  fallbackLimits: { unit: "bytes", title: 200, body: 1_000, countedAs: jsonForm },
  // A robot that exceeds the rate is blocked for ten minutes.
  rateWaitMs: 600_000,
  request({ settings: { url, secret: key, keyword }, message, ports }) {
    const text = { content: textWithKeyword(message, keyword) };
    const body = JSON.stringify({ msgtype: "text", text, at: { atMobiles: [], atUserIds: [], isAtAll: false } });
    return { url: key ? signed(url, key, ports.clock.now()) : url, body };
  },
  classifyReply(reply) {
    // The text decides, because DingTalk uses the code of this error, 300001, also for bad requests.
    const isGone = parseReply(reply)?.["errmsg"] === "token is not exist";
    return isGone ? { ...robotGone, message: `says: ${robotGone.message}` } : classifyReply(reply);
  },
  hints: { auth: "Check that the robot is still in its group, and copy its complete address into `url` again." },
});

/** Adds `timestamp` and `sign`, the HMAC-SHA-256 of timestamp and secret keyed with the secret, to the address. */
function signed(address: string, key: string, nowMs: number): string {
  return withQuery(address, { timestamp: String(nowMs), sign: hmacBase64(key, `${nowMs}\n${key}`) });
}
