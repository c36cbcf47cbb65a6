import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { escapeEntities } from "./shared/markup.ts";
import { isSuccess, notFrom } from "./shared/reply-rules.ts";
import { secretUrl } from "../core/secret.ts";

const plainText = (text: string) => ({ type: "plain_text", text: escapeEntities(text), emoji: false });

/** A Slack incoming webhook. All foreign text is plain text: no mention, no link, no formatting comes out of it. */
export const slack = defineHttpNotifier({
  name: "slack",
  summary: "Posts to a Slack channel through an incoming webhook.",
  source: "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
  settings: z.object({ url: secretUrl("The incoming webhook's address, `https://hooks.slack.com/services/…`.") }),
  example: { url: "${env:SLACK_WEBHOOK_URL}" },
  budgetMs: 10_000,
  // Header blocks take 150 characters, section blocks 3,000; what counts is the escaped text.
  limits: { unit: "utf16", title: 150, body: 3_000, countedAs: escapeEntities },
  plainer: { unit: "utf16", title: 100, body: 1_000, countedAs: escapeEntities },
  request({ settings, message: { title, body }, plain }) {
    const blocks = [
      { type: "header", text: plainText(title) },
      ...(body === "" ? [] : [{ type: "section", text: plainText(body) }]),
    ];
    const payload = {
      text: escapeEntities(`${title}\n${body}`.trim()),
      ...(!plain && { blocks }),
      unfurl_links: false,
      unfurl_media: false,
    };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  judge: (reply) => (isSuccess(reply) && reply.body.trim() !== "ok" ? notFrom("Slack") : undefined),
  hints: {
    auth: "Was the webhook removed, or its channel archived? Make a new one at https://api.slack.com/apps and give its address as `url`.",
  },
});
