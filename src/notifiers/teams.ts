import * as z from "zod";
import { isSuccess } from "../core/http-port.ts";
import { secretUrl } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { jsonForm } from "./shared/markup.ts";
import { notFrom } from "./shared/reply-rules.ts";

/** Formats one line as a block with a text run. Teams reads no Markdown, mentions or line breaks in text runs. */
function block(line: string, style: { readonly weight?: "Bolder" } = {}) {
  // Teams drops a block without text, so a blank line gets a space.
  const text = line.trim() === "" ? `${line} ` : line;
  return { type: "RichTextBlock", spacing: "None", inlines: [{ type: "TextRun", text, ...style }] };
}

const lineEnd = "x".repeat(JSON.stringify(block("")).length + 1);
/** Escapes a text to measure its size in the card. Each line break adds the size of another block. */
const counted = (text: string) => jsonForm(text.replaceAll("\n", lineEnd));

export const teams = defineHttpNotifier({
  name: "teams",
  summary: "Posts a card to a Microsoft Teams channel or chat through a Workflows webhook.",
  source: "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using",
  guide: async () => ({ where: { url: "In the channel's menu: Workflows → Send webhook alerts to a channel." } }),
  audience: "team",
  settings: z.object({
    url: secretUrl("Address shown by the workflow “When a Teams webhook request is received”."),
  }),
  example: { url: "${env:TEAMS_WEBHOOK_URL}" },
  budgetMs: 15_000,
  // Teams accepts 28 KB in total, in an undocumented encoding. These limits leave room for UTF-16.
  limits: { unit: "bytes", title: 500, body: 12_000, countedAs: counted },
  fallbackLimits: { unit: "bytes", title: 200, body: 1_000, countedAs: counted },
  request({ settings, message: { title, body }, isFallback }) {
    const head = block(title, isFallback ? {} : { weight: "Bolder" });
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      // Teams webhooks render versions up to 1.4; text runs came with 1.2.
      version: "1.2",
      body: [head, ...(body === "" ? [] : body.split("\n").map((line) => block(line)))],
      msteams: { width: "Full" },
    };
    const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
    return { url: settings.url, body: JSON.stringify({ type: "message", attachments: [attachment] }) };
  },
  // Teams does not document the body of a successful reply. Every 2xx reply counts as a success, except an HTML page
  // and an error in the format of older connectors.
  classifyReply(reply) {
    if (!isSuccess(reply)) return undefined;
    const inner = /Microsoft Teams endpoint returned HTTP error (\d{3})/.exec(reply.body)?.[1];
    if (inner === undefined) return /^\s*</.test(reply.body) ? notFrom("Teams") : undefined;
    return { reason: inner === "429" ? "rate-limited" : "rejected", message: `reported status ${inner}` };
  },
  hints: {
    auth: "Check that the workflow exists, is turned on and can be triggered by anyone, and copy its complete address into `url` again.",
  },
});
