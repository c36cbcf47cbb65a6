import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect } from "vitest";
import { answer } from "../../world/hostile-server.ts";
import { type Cases, canary, readLines } from "../contract/notifier-case.ts";

/** Microsoft's schema of the newest version that Teams' webhooks show. https://github.com/microsoft/AdaptiveCards */
const schemaFile = join(import.meta.dirname, "../../fixtures/adaptive-cards/schema-1.4.0.json");
const { id: _, $schema: __, ...schema } = JSON.parse(readFileSync(schemaFile, "utf8"));
const isCard = new Ajv({ strict: false, validateFormats: false }).compile(schema);

const connector = (status: number) =>
  answer(
    200,
    {},
    `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId ${canary}`,
  );

/** Reads the card's lines; throws if the card breaks the schema. `msteams` is Teams' own addition to it. */
function readCardLines(body: string): string[] {
  const { msteams: _, ...card } = JSON.parse(body).attachments[0].content;
  expect(isCard(card) || isCard.errors).toBe(true);
  return card.body.map(({ type, inlines }: { type: string; inlines: { type: string; text: string }[] }) => {
    expect([type, inlines.length, inlines[0]?.type]).toEqual(["RichTextBlock", 1, "TextRun"]);
    const { text = "" } = inlines[0] ?? {};
    expect(text).not.toBe("");
    // A line of spaces needs one more to exist at all.
    return text.trim() ? text : text.slice(0, -1);
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
