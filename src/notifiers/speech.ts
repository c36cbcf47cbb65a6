import * as z from "zod";
import { defineNotifier } from "../core/notifier.ts";

export const speech = defineNotifier({
  name: "speech",
  summary: "Says it aloud: `say` on macOS, SAPI on Windows, espeak-ng elsewhere.",
  source: "https://github.com/espeak-ng/espeak-ng/blob/master/docs/guide.md",
  settings: z.object({
    voice: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} ()+._-]*$/u, "must be a voice's name")
      .optional()
      .describe("A voice by the platform's own name, `en-gb` or `Samantha`; default: the platform's."),
    body: z.boolean().default(true).describe("Whether the text below the title is said, too."),
  }),
  example: { voice: "en-gb" },
  budgetMs: 25_000,
  limits: { unit: "graphemes", title: 100, body: 200 },
  reach: "machine",
  platforms: "any",
  retries: false,
  check: async ({ ports }) => ports.speech.obstacle(),
  async send({ settings, message: { title, body }, ports, signal }) {
    const text = settings.body && body !== "" ? `${title}.\n${body}` : title;
    await ports.speech.say({ text, signal, ...(settings.voice !== undefined && { voice: settings.voice }) });
  },
});
