import * as z from "zod";
import { defineNotifier } from "../core/notifier.ts";
import type { Kind } from "../core/vocabulary.ts";

const levels = ["low", "normal", "critical"] as const;
type Level = (typeof levels)[number];

/** Only `needs-you` is critical: many desktops keep critical notifications until they are closed. */
const usual: Readonly<Record<Kind, Level>> = {
  "needs-you": "critical",
  failed: "normal",
  finished: "normal",
  info: "low",
};

const level = (kind: Kind) =>
  z.enum(levels).optional().describe(`Urgency of \`${kind}\` notifications; default \`${usual[kind]}\`.`);

export const desktop = defineNotifier({
  name: "desktop",
  summary: "A notification on this machine's desktop.",
  source: "https://specifications.freedesktop.org/notification-spec/latest/",
  settings: z.strictObject({
    urgency: z
      .strictObject({
        "needs-you": level("needs-you"),
        failed: level("failed"),
        finished: level("finished"),
        info: level("info"),
      })
      .optional()
      .describe("How urgent each kind is. Many desktops show a critical notification until it is closed."),
  }),
  example: { urgency: { failed: "critical" } },
  budgetMs: 8000,
  urgency: usual,
  limits: { unit: "graphemes", title: 100, body: 300 },
  reach: "machine",
  platforms: "any",
  check: async ({ ports }) => ports.desktop.obstacle(),
  async send({ settings, message, ports, signal }) {
    const { title, body, kind } = message;
    await ports.desktop.notify({ title, body, urgency: settings.urgency?.[kind] ?? usual[kind], signal });
  },
});
