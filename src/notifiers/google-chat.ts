import * as z from "zod";
import { secretUrl } from "../core/secret.ts";
import { escapeEntities } from "../text/html.ts";
import { defineHttpNotifier, withQuery } from "./shared/http-notifier.ts";
import { breakBehind, jsonForm } from "./shared/markup.ts";
import { requireField } from "./shared/reply-rules.ts";

/** Escapes a text for a card: https://developers.google.com/workspace/chat/format-messages#format-cards */
const html = (text: string) => escapeEntities(text).replaceAll("\n", "<br>");
const counted = (text: string) => jsonForm(html(text));
const paragraph = (text: string) => ({ textParagraph: { text } });

/**
 * Notifier for a Google Chat webhook. Text in a card is escaped with entities. Other text gets an invisible space after
 * each `<`. Resolved messages stay unchanged, because a webhook cannot edit messages and a reply would notify everybody
 * who follows the thread.
 */
export const googleChat = defineHttpNotifier({
  name: "google-chat",
  summary: "Posts to a Google Chat space through a webhook.",
  source: "https://developers.google.com/chat/api/reference/rest/v1/spaces.messages/create",
  guide: async () => ({ where: { url: "In the space: its name → Apps & integrations → Webhooks → Add webhook." } }),
  audience: "team",
  settings: z.object({
    url: secretUrl("Webhook, `https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…`."),
  }),
  example: { url: "${env:GOOGLE_CHAT_WEBHOOK_URL}" },
  // Google Chat accepts 32,000 bytes in total. The request contains the title twice.
  limits: { unit: "bytes", title: 1_000, body: 28_000, countedAs: counted },
  fallbackLimits: { unit: "bytes", title: 300, body: 1_000, countedAs: counted },
  lifecycle: { inThread: true, condition: "messages never change" },
  request({ settings, message: { id, title, body }, thread, isFallback }) {
    const payload = {
      ...(isFallback ? { text: inert([title, body]) } : { fallbackText: inert([title]), cardsV2: [card(title, body)] }),
      thread: thread && { threadKey: thread.key },
    };
    // Google Chat posts only one message for all attempts with the same `requestId`.
    const query = { requestId: id, messageReplyOption: "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD" };
    return { url: withQuery(settings.url, query), body: JSON.stringify(payload) };
  },
  classifyReply: requireField("Google Chat", "name"),
  hints: { auth: "Check that the webhook is still in its space, and copy its complete address into `url` again." },
});

/** Breaks `<users/all>` and `<address|text>`, which cannot be escaped, with an invisible space after each `<`. */
function inert(parts: readonly string[]): string {
  return breakBehind(parts.filter(Boolean).join("\n"), /</g);
}

function card(title: string, body: string) {
  const widgets = [paragraph(`<b>${html(title)}</b>`), ...(body === "" ? [] : [paragraph(html(body))])];
  return { cardId: "beckon", card: { sections: [{ widgets }] } };
}
