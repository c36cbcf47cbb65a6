import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind } from "./shared/markup.ts";
import { judgeByCode } from "./shared/reply-rules.ts";
import { secretUrl } from "../core/secret.ts";

/** `<@user>` is the one mention a text can hold. */
const inert = (text: string) => breakBehind(text, /</g);

/** A WeCom (企业微信) group robot. It posts plain text, and never names anybody to be notified. */
export const wecom = defineHttpNotifier({
  name: "wecom",
  summary: "Posts to a WeCom (企业微信) group through a group robot.",
  source: "https://developer.work.weixin.qq.com/document/path/91770",
  settings: z.object({
    url: secretUrl("The robot's address, `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…`."),
  }),
  example: { url: "${env:WECOM_WEBHOOK_URL}" },
  budgetMs: 10_000,
  // 2,048 bytes for the whole text.
  limits: { unit: "bytes", title: 300, body: 1_700, countedAs: inert },
  plainer: { unit: "bytes", title: 150, body: 500, countedAs: inert },
  // 20 messages a minute.
  rateWaitMs: 65_000,
  request({ settings, message: { title, body } }) {
    const content = inert(body === "" ? title : `${title}\n${body}`);
    return { url: settings.url, body: JSON.stringify({ msgtype: "text", text: { content } }) };
  },
  // https://developer.work.weixin.qq.com/document/path/90313
  judge: judgeByCode({
    service: "WeCom",
    field: "errcode",
    meanings: {
      [-1]: { reason: "unavailable", message: "the service is busy" },
      45009: { reason: "rate-limited", message: "more than 20 messages a minute" },
      93000: { reason: "auth", message: "no such robot", hint: "Copy the robot's address again; `url` is all of it." },
    },
    hint: "The code's meaning: https://open.work.weixin.qq.com/devtool/query",
  }),
  hints: { auth: "Is the robot still in its group? Copy its address again, all of it, into `url`." },
});
