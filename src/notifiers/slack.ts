import * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import { escapeEntities } from "../core/markup.ts";
import { defineNotifier } from "../core/notifier.ts";
import { secretUrl } from "../core/secret.ts";

/** A Slack incoming webhook. All foreign text is plain text: no mention, no link, no formatting comes out of it. */
export const slack = defineNotifier({
  name: "slack",
  summary: "Posts to a Slack channel through an incoming webhook.",
  source: "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
  settings: z.object({ url: secretUrl("The incoming webhook's address, `https://hooks.slack.com/services/…`.") }),
  example: { url: "${env:SLACK_WEBHOOK_URL}" },
  budgetMs: 10_000,
  // Header blocks take 150 characters, section blocks 3,000; what counts is the escaped text.
  limits: { unit: "utf16", title: 150, body: 3_000, countedAs: escapeEntities },
  platforms: "any",
  async send({ settings, message, ports, signal }) {
    const plain = (text: string) => ({ type: "plain_text", text: escapeEntities(text), emoji: false });
    const payload = {
      text: escapeEntities(`${message.title}\n${message.body}`),
      blocks: [
        { type: "header", text: plain(message.title) },
        ...(message.body === "" ? [] : [{ type: "section", text: plain(message.body) }]),
      ],
      unfurl_links: false,
      unfurl_media: false,
    };
    const reply = await ports.http.post({ url: settings.url, body: JSON.stringify(payload), signal });
    if (reply.body.trim() === "ok") return;
    throw new DeliveryError("unavailable", "the answer was not Slack's `ok`: something in between answered", {
      hint: "A captive portal or proxy? Check `url`.",
    });
  },
});
