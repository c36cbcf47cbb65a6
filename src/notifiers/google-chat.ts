import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind, escapeEntities, jsonForm } from "./shared/markup.ts";
import { provenBy } from "./shared/reply-rules.ts";
import { secretUrl } from "../core/secret.ts";
import { threadKey } from "../core/thread-key.ts";

/** https://developers.google.com/workspace/chat/format-messages#format-cards */
const html = (text: string) => escapeEntities(text).replaceAll("\n", "<br>");
const counted = (text: string) => jsonForm(html(text));
const paragraph = (text: string) => ({ textParagraph: { text } });

/** A Google Chat webhook. What is foreign stands in a card, where entities are read, or with its `<` broken. */
export const googleChat = defineHttpNotifier({
  name: "google-chat",
  summary: "Posts to a Google Chat space through a webhook, a thread per session.",
  source: "https://developers.google.com/chat/api/reference/rest/v1/spaces.messages/create",
  settings: z.object({
    url: secretUrl("The webhook's address, `https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…`."),
  }),
  example: { url: "${env:GOOGLE_CHAT_WEBHOOK_URL}" },
  budgetMs: 10_000,
  // 32,000 bytes with everything; the title stands in it twice.
  limits: { unit: "bytes", title: 1_000, body: 28_000, countedAs: counted },
  plainer: { unit: "bytes", title: 300, body: 1_000, countedAs: counted },
  request({ settings, message: { id, sessionId, title, body }, plain }) {
    const payload = {
      ...(plain ? { text: inert([title, body]) } : { fallbackText: inert([title]), cardsV2: [card(title, body)] }),
      ...(sessionId !== undefined && { thread: { threadKey: threadKey(sessionId) } }),
    };
    return { url: withQuery(settings.url, id), body: JSON.stringify(payload) };
  },
  judge: provenBy("Google Chat", "name"),
  hints: { auth: "Was the webhook removed from its space? Copy its address again, all of it, into `url`." },
});

/** `<users/all>` and `<address|text>` are all that text can hold; there is no escape for them. */
function inert(parts: readonly string[]): string {
  return breakBehind(parts.filter(Boolean).join("\n"), /</g);
}

function card(title: string, body: string) {
  const widgets = [paragraph(`<b>${html(title)}</b>`), ...(body === "" ? [] : [paragraph(html(body))])];
  return { cardId: "beckon", card: { sections: [{ widgets }] } };
}

/** With the same `requestId`, a second attempt after a lost answer makes no second message. */
function withQuery(address: string, requestId: string): string {
  const url = new URL(address);
  url.searchParams.set("requestId", requestId);
  url.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  return url.href;
}
