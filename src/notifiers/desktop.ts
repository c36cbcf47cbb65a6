import * as z from "zod";
import { defineNotifier } from "../core/notifier.ts";
import type { Kind } from "../core/vocabulary.ts";

const levels = ["low", "normal", "critical"] as const;
type Level = (typeof levels)[number];

/** Default urgencies. Only `needs-you` is critical, since many desktops show that until it is closed. */
const defaults: Readonly<Record<Kind, Level>> = {
  "needs-you": "critical",
  failed: "normal",
  finished: "normal",
  info: "low",
};

const level = (kind: Kind) =>
  z.enum(levels).optional().describe(`Urgency of \`${kind}\` notifications; default \`${defaults[kind]}\`.`);

/** Notifier for the desktop of this machine. */
export const desktop = defineNotifier({
  name: "desktop",
  summary: "Shows a notification on this machine's desktop.",
  source: "https://specifications.freedesktop.org/notification-spec/latest/",
  audience: "person",
  settings: z.strictObject({
    urgency: z
      .strictObject({
        "needs-you": level("needs-you"),
        failed: level("failed"),
        finished: level("finished"),
        info: level("info"),
      })
      .optional()
      .describe("Urgency of each kind of event. Many desktops show a critical notification until it is closed."),
  }),
  example: { urgency: { failed: "critical" } },
  budgetMs: 8000,
  urgency: defaults,
  limits: { unit: "graphemes", title: 100, body: 300 },
  reach: "machine",
  check: async ({ ports }) => ports.desktop.obstacle(),
  async send({ settings, message, mask, ports, signal }) {
    const { title, body, kind } = message;
    await ports.desktop.notify({ title, body, urgency: settings.urgency?.[kind] ?? defaults[kind], mask, signal });
  },
});
