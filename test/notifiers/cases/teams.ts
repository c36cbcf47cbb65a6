import { createRequire } from "node:module";
import type * as AdaptiveCards from "adaptivecards";
import { expect } from "vitest";
import { answer } from "../../world/hostile-server.ts";
import { type Cases, canary, readLines } from "../contract/notifier-case.ts";

// Its modules omit file name extensions, which Node rejects.
const { AdaptiveCard, RichTextBlock, SerializationContext, TextRun } = createRequire(import.meta.url)(
  "adaptivecards/dist/adaptivecards.js",
) as typeof AdaptiveCards;

const connector = (status: number) =>
  answer(
    200,
    {},
    `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId ${canary}`,
  );

/** Reads the card's lines with Microsoft's own library; throws if the library reports an error. */
function readCardLines(body: string): string[] {
  const { content } = JSON.parse(body).attachments[0];
  const context = new SerializationContext();
  const card = new AdaptiveCard();
  card.parse(content, context);
  expect(Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index))).toEqual([]);
  expect(card.validateProperties().validationEvents).toEqual([]);
  return Array.from({ length: card.getItemCount() }, (_, index) => {
    const item = card.getItemAt(index);
    if (!(item instanceof RichTextBlock)) throw new Error(`not a rich text block but ${item.getJsonTypeName()}`);
    const run = item.getInlineAt(0);
    expect(item.getInlineCount()).toBe(1);
    if (!(run instanceof TextRun)) throw new Error("not a text run");
    expect(run.text).toBeTruthy();
    // A line of spaces needs one more to exist at all.
    return run.text?.trim() ? run.text : (run.text ?? "").slice(0, -1);
  });
}

export const httpCase: Cases["httpCase"] = {
  settings: (origin) => ({ url: `${origin}/workflows/1/triggers/manual/paths/invoke?sig=${canary}` }),
  success: answer(202, {}, ""),
  rejections: [
    ["too many, in a success of the older connectors", connector(429), "rate-limited"],
    ["too large, in a success of the older connectors", connector(413), "rejected"],
  ],
  read: ({ body }) => readLines(readCardLines(body).join("\n")),
  valid({ body }) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(20 * 1024);
    expect(readCardLines(body).length).toBeGreaterThan(0);
    const { type, attachments } = JSON.parse(body);
    expect(type).toBe("message");
    expect(attachments).toHaveLength(1);
    expect(attachments[0].contentType).toBe("application/vnd.microsoft.card.adaptive");
    expect(attachments[0].content.msteams).toEqual({ width: "Full" });
    expect(Number(attachments[0].content.version)).toBeLessThanOrEqual(1.4);
    expect(attachments[0].content).not.toHaveProperty("actions");
  },
  mentions: ["<at>everyone</at> @everyone [x](https://e) **b**\n\n- l\n1. n {{DATE(2026-11-20T12:00:00Z)}}\n  \n\t\nx"],
};
