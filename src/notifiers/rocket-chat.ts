import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { breakBehind } from "./shared/markup.ts";
import { codeOf, isSuccess, jsonOf, notFrom } from "./shared/reply-rules.ts";
import { secretUrl } from "../core/secret.ts";

/**
 * The message's own text is always Markdown, and where mentions are looked for. Its parser takes backslashes before a
 * few characters only; what is left is that `_x_` in a title is italic.
 * https://github.com/RocketChat/Rocket.Chat/tree/develop/packages/message-parser
 */
function inert(text: string): string {
  return breakBehind(text, /[\\[\]()<>|:@#$!.+_-]/g).replace(/[*~`]/g, "\\$&");
}

/** A Rocket.Chat incoming webhook. The body is an attachment, whose text stays as it is if `mrkdwn_in` is empty. */
export const rocketChat = defineHttpNotifier({
  name: "rocket-chat",
  summary: "Posts to a Rocket.Chat channel through an incoming webhook.",
  source:
    "https://github.com/RocketChat/Rocket.Chat/blob/develop/apps/meteor/app/lib/server/functions/processWebhookMessage.ts",
  settings: z.object({ url: secretUrl("The incoming webhook's address, `https://your-server/hooks/…`.") }),
  example: { url: "${env:ROCKET_CHAT_WEBHOOK_URL}" },
  budgetMs: 10_000,
  // 5,000 characters by default, `Message_MaxAllowedSize`.
  limits: { unit: "utf16", title: 150, body: 4_000, countedAs: inert },
  plainer: { unit: "utf16", title: 100, body: 500, countedAs: inert },
  request({ settings, message: { title, body }, plain }) {
    // Nothing at the beginning of a line is a quote, a list or a heading behind an invisible space.
    const lines = (plain ? `${title}\n${body}`.trimEnd() : title).split("\n").map((line) => `\u200b${inert(line)}`);
    const attachments = plain || body === "" ? [] : [{ text: body, mrkdwn_in: [] }];
    const payload = { text: lines.join("\n"), attachments, parseUrls: false };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  judge,
  hints: { auth: "Is the integration there, and enabled? Copy its address again into `url`." },
});

function judge(reply: HttpReply): Refusal | undefined {
  const { success, error } = jsonOf(reply) ?? {};
  if (error === "error-too-many-requests") return { reason: "rate-limited", message: "says that it is too much" };
  if (!isSuccess(reply) || success === true) return undefined;
  if (success !== false) return notFrom("Rocket.Chat");
  return { reason: "rejected", message: `answered with ${codeOf(error)}` };
}
