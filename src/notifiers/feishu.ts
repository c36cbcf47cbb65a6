import * as z from "zod";
import { secret, secretUrl } from "../core/secret.ts";
import { hmacBase64 } from "./shared/hashes.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind, jsonForm } from "./shared/markup.ts";
import { keywordSetting, textWithKeyword } from "./shared/message-text.ts";
import { classifyByCode } from "./shared/reply-rules.ts";

/** A text whose tags, such as `<at user_id="all">`, and links, `[text](address)`, have no effect. */
const inert = (text: string) => breakBehind(text, /[<\]]/g);
const countedAs = (text: string) => jsonForm(inert(text));
const clockHint = "Check `secret`, and the clock: signatures expire after an hour.";
const keywordHint = "Set `keyword` to the bot's keyword.";
const addressHint = "Add this machine's IP address to those the bot allows.";

/** Notifier for a custom bot of Feishu (飞书) or Lark. It posts plain text. */
export const feishu = defineHttpNotifier({
  name: "feishu",
  summary: "Posts to a Feishu (飞书) or Lark group through a custom bot.",
  source: "https://open.larkoffice.com/document/ukTMukTMukTM/ucTM5YjL3ETO24yNxkjN.md",
  audience: "team",
  settings: z.object({
    url: secretUrl(
      "The bot's webhook address: `https://open.feishu.cn/open-apis/bot/v2/hook/…`, or `open.larksuite.com`.",
    ),
    secret: secret(z.string().min(1)).optional().describe("The signing secret, if the bot checks signatures."),
    keyword: keywordSetting,
  }),
  example: { url: "${env:FEISHU_WEBHOOK_URL}", secret: "${env:FEISHU_SECRET}" },
  // 20 KB for the whole request.
  limits: { unit: "bytes", title: 500, body: 18_000, countedAs },
  fallbackLimits: { unit: "bytes", title: 200, body: 1_000, countedAs },
  request({ settings, message, nowMs }) {
    const timestamp = String(Math.floor(nowMs / 1000));
    const payload = {
      ...(settings.secret !== undefined && { timestamp, sign: sign(settings.secret, timestamp) }),
      msg_type: "text",
      content: { text: inert(textWithKeyword(message, settings.keyword)) },
    };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  // The codes of rate limits also come with status 400 and 429.
  classifyReply: classifyByCode({
    service: "Feishu",
    field: "code",
    meanings: [
      [[9499], { reason: "rejected", message: "a bad request" }],
      [[11232, 99991400], { reason: "rate-limited", message: "more than 5 messages a second or 100 a minute" }],
      [[19001], { reason: "auth", message: "no such bot" }],
      [[19021], { reason: "auth", message: "signature or clock", hint: clockHint }],
      [[19022], { reason: "auth", message: "this IP address is not allowed", hint: addressHint }],
      [[19024], { reason: "auth", message: "the bot's keyword is missing", hint: keywordHint }],
    ],
    hint: "Look up the code in the documentation of custom bots.",
  }),
  hints: { auth: "Check that the bot is still in its group, and copy its complete address into `url` again." },
});

/** The HMAC-SHA-256 of an empty text, with timestamp and secret as its key. */
function sign(key: string, timestamp: string): string {
  return hmacBase64(`${timestamp}\n${key}`, "");
}
