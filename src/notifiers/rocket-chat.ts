import * as z from "zod";
import { isSuccess, jsonOf } from "../core/http-port.ts";
import { secretUrl } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind } from "./shared/markup.ts";
import { codeOf, notFrom } from "./shared/reply-rules.ts";

/**
 * A text without markup and mentions, for the message's own text, which is always Markdown. The parser takes
 * backslashes before a few characters only, so `_x_` stays italic.
 * https://github.com/RocketChat/Rocket.Chat/tree/develop/packages/message-parser
 */
function inert(text: string): string {
  return breakBehind(text, /[\\[\]()<>|:@#$!.+_-]/g).replace(/[*~`]/g, "\\$&");
}

/** Notifier for a Rocket.Chat incoming webhook. The body is an attachment, plain text since `mrkdwn_in` is empty. */
export const rocketChat = defineHttpNotifier({
  name: "rocket-chat",
  summary: "Posts to a Rocket.Chat channel through an incoming webhook.",
  source:
    "https://github.com/RocketChat/Rocket.Chat/blob/develop/apps/meteor/app/lib/server/functions/processWebhookMessage.ts",
  audience: "team",
  settings: z.object({ url: secretUrl("The incoming webhook's address, `https://your-server/hooks/…`.") }),
  example: { url: "${env:ROCKET_CHAT_WEBHOOK_URL}" },
  // 5,000 characters by default, `Message_MaxAllowedSize`.
  limits: { unit: "utf16", title: 150, body: 4_000, countedAs: inert },
  fallbackLimits: { unit: "utf16", title: 100, body: 500, countedAs: inert },
  request({ settings, message: { title, body }, isFallback }) {
    // An invisible space at the beginning of a line keeps it from becoming a quote, a list or a heading.
    const lines = (isFallback ? `${title}\n${body}`.trimEnd() : title)
      .split("\n")
      .map((line) => `\u200b${inert(line)}`);
    const attachments = isFallback || body === "" ? [] : [{ text: body, mrkdwn_in: [] }];
    const payload = { text: lines.join("\n"), attachments, parseUrls: false };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  classifyReply(reply) {
    const { success, error } = jsonOf(reply) ?? {};
    if (error === "error-too-many-requests") return { reason: "rate-limited", message: "reports too many requests" };
    if (!isSuccess(reply) || success === true) return undefined;
    if (success !== false) return notFrom("Rocket.Chat");
    return { reason: "rejected", message: `answered with ${codeOf(error)}` };
  },
  hints: { auth: "Check that the integration exists and is enabled, and copy its address into `url` again." },
});
