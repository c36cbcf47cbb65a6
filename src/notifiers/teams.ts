import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { jsonForm } from "./shared/markup.ts";
import { isSuccess, notFrom } from "./shared/reply-rules.ts";
import { secretUrl } from "../core/secret.ts";

/** One line as a block of its own: text runs know no Markdown, no mentions and no line ends. */
function block(line: string, style: { readonly weight?: "Bolder" } = {}) {
  // A block without text is none, so an empty line is a space, and a line of spaces has one more.
  const text = line.trim() === "" ? `${line} ` : line;
  return { type: "RichTextBlock", spacing: "None", inlines: [{ type: "TextRun", text, ...style }] };
}

const lineEnd = "x".repeat(JSON.stringify(block("")).length + 1);
/** Every line end costs a block. */
const counted = (text: string) => jsonForm(text.replaceAll("\n", lineEnd));

/** A webhook of Power Automate's Workflows for Microsoft Teams, which takes Adaptive Cards. */
export const teams = defineHttpNotifier({
  name: "teams",
  summary: "Posts a card to a Microsoft Teams channel or chat through a Workflows webhook.",
  source: "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using",
  settings: z.object({
    url: secretUrl("The address that the workflow “When a Teams webhook request is received” shows."),
  }),
  example: { url: "${env:TEAMS_WEBHOOK_URL}" },
  budgetMs: 15_000,
  // 28 KB with everything, in an encoding that is not told; this leaves room for one of two bytes a character.
  limits: { unit: "bytes", title: 500, body: 12_000, countedAs: counted },
  plainer: { unit: "bytes", title: 200, body: 1_000, countedAs: counted },
  request({ settings, message: { title, body }, plain }) {
    const head = block(title, plain ? {} : { weight: "Bolder" });
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      // What Teams' webhooks render at most is 1.4; text runs came with 1.2.
      version: "1.2",
      body: [head, ...(body === "" ? [] : body.split("\n").map((line) => block(line)))],
      msteams: { width: "Full" },
    };
    const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
    return { url: settings.url, body: JSON.stringify({ type: "message", attachments: [attachment] }) };
  },
  judge,
  hints: {
    auth: "Is the workflow there, turned on, and for anyone to trigger? Copy its address again, all of it, into `url`.",
  },
});

/** Any success counts, since none is documented, but a page, and what the older connectors write into a success. */
function judge(reply: HttpReply): Refusal | undefined {
  if (!isSuccess(reply)) return undefined;
  const inner = /Microsoft Teams endpoint returned HTTP error (\d{3})/.exec(reply.body)?.[1];
  if (inner === undefined) return /^\s*</.test(reply.body) ? notFrom("Teams") : undefined;
  return { reason: inner === "429" ? "rate-limited" : "rejected", message: `answered ${inner} in a success` };
}
