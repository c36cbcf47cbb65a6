import * as z from "zod";
import { secretUrl } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind, titleAndBody } from "./shared/markup.ts";
import { classifyByCode } from "./shared/reply-rules.ts";

/** Breaks mentions, whose only form is `<@user>`. */
const inert = (text: string) => breakBehind(text, /</g);

/** Notifier for a WeCom (企业微信) group robot. It posts plain text and mentions nobody. */
export const wecom = defineHttpNotifier({
  name: "wecom",
  summary: "Posts to a WeCom (企业微信) group through a group robot.",
  source: "https://developer.work.weixin.qq.com/document/path/91770",
  guide: async () => ({
    where: { url: "In the group's menu: Group robots → Add; the robot's page shows the address." },
  }),
  audience: "team",
  settings: z.object({
    url: secretUrl("The robot's webhook, `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…`."),
  }),
  example: { url: "${env:WECOM_WEBHOOK_URL}" },
  // WeCom accepts 2,048 bytes in total.
  limits: { unit: "bytes", title: 300, body: 1_700, countedAs: inert },
  fallbackLimits: { unit: "bytes", title: 150, body: 500, countedAs: inert },
  // WeCom accepts 20 messages a minute.
  rateWaitMs: 65_000,
  request({ settings, message }) {
    const content = inert(titleAndBody(message));
    return { url: settings.url, body: JSON.stringify({ msgtype: "text", text: { content } }) };
  },
  // https://developer.work.weixin.qq.com/document/path/90313
  classifyReply: classifyByCode({
    service: "WeCom",
    field: "errcode",
    meanings: [
      [[-1], { reason: "unavailable", message: "the service is busy" }],
      [[45009], { reason: "rate-limited", message: "more than 20 messages a minute" }],
      [[93000], { reason: "auth", message: "no such robot" }],
    ],
    hint: "Look up the code: https://open.work.weixin.qq.com/devtool/query",
  }),
  hints: { auth: "Check that the robot is still in its group, and copy its complete address into `url` again." },
});
