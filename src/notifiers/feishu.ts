import * as z from "zod";
import { hmacBase64 } from "./shared/hashes.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { Refusal } from "../core/http-port.ts";
import { keywordSetting, textWithKeyword } from "./shared/message-text.ts";
import { breakBehind, jsonForm } from "./shared/markup.ts";
import { judgeByCode } from "./shared/reply-rules.ts";
import { secret, secretUrl } from "../core/secret.ts";

/** Tags such as `<at user_id="all">`, and links, `[text](address)`. */
const inert = (text: string) => breakBehind(text, /[<\]]/g);
const tooFast: Refusal = { reason: "rate-limited", message: "more than 5 messages a second or 100 a minute" };

/** A custom bot of Feishu (飞书) or Lark. It posts plain text. */
export const feishu = defineHttpNotifier({
  name: "feishu",
  summary: "Posts to a Feishu (飞书) or Lark group through a custom bot.",
  source: "https://open.larkoffice.com/document/ukTMukTMukTM/ucTM5YjL3ETO24yNxkjN.md",
  settings: z.object({
    url: secretUrl("The bot's address: `https://open.feishu.cn/open-apis/bot/v2/hook/…`, or `open.larksuite.com`."),
    secret: secret(z.string().min(1)).optional().describe("The signing secret, where the bot checks signatures."),
    keyword: keywordSetting,
  }),
  example: { url: "${env:FEISHU_WEBHOOK_URL}", secret: "${env:FEISHU_SECRET}" },
  budgetMs: 10_000,
  // 20 KB for the whole request.
  limits: { unit: "bytes", title: 500, body: 18_000, countedAs: (text) => jsonForm(inert(text)) },
  plainer: { unit: "bytes", title: 200, body: 1_000, countedAs: (text) => jsonForm(inert(text)) },
  request({ settings, message, nowMs }) {
    const timestamp = String(Math.floor(nowMs / 1000));
    const payload = {
      ...(settings.secret !== undefined && { timestamp, sign: sign(settings.secret, timestamp) }),
      msg_type: "text",
      content: { text: inert(textWithKeyword(message, settings.keyword)) },
    };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  // The codes of rates also come with 400 and 429.
  judge: judgeByCode({
    service: "Feishu",
    field: "code",
    meanings: {
      9499: { reason: "rejected", message: "a bad request" },
      11232: tooFast,
      99991400: tooFast,
      19001: {
        reason: "auth",
        message: "no such bot",
        hint: "Is the bot still in its group? Copy its address again, all of it, into `url`.",
      },
      19021: {
        reason: "auth",
        message: "signature or clock",
        hint: "Check `secret`, and the clock: a signature is good for an hour.",
      },
      19022: { reason: "auth", message: "not from this address", hint: "The bot only takes some IP addresses." },
      19024: { reason: "auth", message: "the bot's keyword is missing", hint: "Set `keyword` to the bot's keyword." },
    },
    hint: "Look the code up in the bot's documentation.",
  }),
  hints: { auth: "Is the bot still in its group? Copy its address again, all of it, into `url`." },
});

/** HMAC-SHA-256 of nothing, with timestamp and secret as its key. */
function sign(key: string, timestamp: string): string {
  return hmacBase64(`${timestamp}\n${key}`, "");
}
