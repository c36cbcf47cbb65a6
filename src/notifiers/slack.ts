import * as z from "zod";
import { isSuccess } from "../core/http-port.ts";
import { secretUrl } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { escapeEntities } from "./shared/markup.ts";
import { notFrom } from "./shared/reply-rules.ts";

const plainText = (text: string) => ({ type: "plain_text", text: escapeEntities(text), emoji: false });

/** Notifier for a Slack incoming webhook. It posts plain text, without mentions, links and formatting. */
export const slack = defineHttpNotifier({
  name: "slack",
  summary: "Posts to a Slack channel through an incoming webhook.",
  source: "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
  audience: "team",
  settings: z.object({ url: secretUrl("The incoming webhook's address, `https://hooks.slack.com/services/…`.") }),
  example: { url: "${env:SLACK_WEBHOOK_URL}" },
  // 150 characters in a header block and 3,000 in a section block, measured on the escaped text.
  limits: { unit: "utf16", title: 150, body: 3_000, countedAs: escapeEntities },
  fallbackLimits: { unit: "utf16", title: 100, body: 1_000, countedAs: escapeEntities },
  request({ settings, message: { title, body }, isFallback }) {
    const blocks = [
      { type: "header", text: plainText(title) },
      ...(body === "" ? [] : [{ type: "section", text: plainText(body) }]),
    ];
    const payload = {
      text: escapeEntities(`${title}\n${body}`.trim()),
      blocks: isFallback ? undefined : blocks,
      unfurl_links: false,
      unfurl_media: false,
    };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  classifyReply: (reply) => (isSuccess(reply) && reply.body.trim() !== "ok" ? notFrom("Slack") : undefined),
  hints: {
    auth: "The webhook may have been removed or its channel archived. Create a new one at https://api.slack.com/apps and set `url` to its address.",
  },
});
