import * as z from "zod";
import { hmacBase64 } from "./shared/hashes.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { Refusal } from "../core/http-port.ts";
import { keywordSetting, textWithKeyword } from "./shared/message-text.ts";
import { jsonForm } from "./shared/markup.ts";
import { jsonOf, judgeByCode } from "./shared/reply-rules.ts";
import { secret, secretUrl } from "../core/secret.ts";

const tooFast: Refusal = { reason: "rate-limited", message: "more than 20 messages a minute" };
const gone: Refusal = { reason: "auth", message: "no such robot", hint: "Is the robot still in its group, and on?" };
const insecure: Refusal = {
  reason: "auth",
  message: "the robot's security settings",
  hint: "Check `secret` (a signature is good for an hour: is the clock right?), `keyword`, and the addresses allowed.",
};

const judge = judgeByCode({
  service: "DingTalk",
  field: "errcode",
  meanings: {
    [-1]: { reason: "unavailable", message: "the service is busy" },
    130101: tooFast,
    410100: tooFast,
    310000: insecure,
    300005: gone,
    400013: gone,
    400101: gone,
    400102: gone,
    400106: gone,
  },
  hint: "Look the code up in the robot's documentation.",
});

/** A DingTalk (钉钉) group robot. It posts plain text; `@` reaches only those listed in `at`, who are nobody. */
export const dingtalk = defineHttpNotifier({
  name: "dingtalk",
  summary: "Posts to a DingTalk (钉钉) group through a custom robot.",
  source: "https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages",
  settings: z.object({
    url: secretUrl("The robot's address, `https://oapi.dingtalk.com/robot/send?access_token=…`."),
    secret: secret(z.string().min(1)).optional().describe("The signing secret, `SEC…`, where the robot has one."),
    keyword: keywordSetting,
  }),
  example: { url: "${env:DINGTALK_WEBHOOK_URL}", secret: "${env:DINGTALK_SECRET}" },
  budgetMs: 10_000,
  // No limit is documented for these robots; 15,000 bytes are for those of apps.
  limits: { unit: "bytes", title: 500, body: 10_000, countedAs: jsonForm },
  plainer: { unit: "bytes", title: 200, body: 1_000, countedAs: jsonForm },
  // Whoever is too fast is shut out for ten minutes.
  rateWaitMs: 600_000,
  request({ settings, message, nowMs }) {
    const text = { content: textWithKeyword(message, settings.keyword) };
    const body = JSON.stringify({ msgtype: "text", text, at: { atMobiles: [], atUserIds: [], isAtAll: false } });
    return { url: settings.secret ? signed(settings.url, settings.secret, nowMs) : settings.url, body };
  },
  judge(reply) {
    // Its code, 300001, stands for bad requests as well.
    const isGone = jsonOf(reply)?.["errmsg"] === "token is not exist";
    return isGone ? { ...gone, message: `says: ${gone.message}` } : judge(reply);
  },
  hints: { auth: "Is the robot still in its group? Copy its address again, all of it, into `url`." },
});

/** An address with `timestamp` and `sign`: HMAC-SHA-256 of both with the secret as key. */
function signed(address: string, key: string, nowMs: number): string {
  const url = new URL(address);
  url.searchParams.set("timestamp", String(nowMs));
  url.searchParams.set("sign", hmacBase64(key, `${nowMs}\n${key}`));
  return url.href;
}
