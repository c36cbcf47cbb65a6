import * as z from "zod";
import { defineNotifier } from "../core/notifier.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { ownProgram } from "./shared/settings.ts";

/** Words for a line break, by language. */
const lineBreaks: Readonly<Record<string, string>> = {
  ...{ en: "new line", de: "neue Zeile", es: "nueva línea", fr: "nouvelle ligne", pt: "nova linha" },
  ...{ ja: "改行", zh: "换行" },
};

export const speech = defineNotifier({
  name: "speech",
  summary: "Reads the message aloud: `say` on macOS, SAPI on Windows, espeak-ng elsewhere.",
  source: "https://github.com/espeak-ng/espeak-ng/blob/master/docs/guide.md",
  audience: "person",
  at: "desk",
  isAudible: true,
  settings: z.object({
    voice: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} ()+._-]*$/u, "must be the name of a voice")
      .optional()
      .describe(
        "Name of a voice on this platform, such as `en-gb` or `Samantha`. Default: a voice for the language of the messages.",
      ),
    program: ownProgram("Absolute path of your own program, which reads its standard input aloud."),
    body: z.boolean().default(true).describe("Also read the text below the title."),
  }),
  example: { voice: "en-gb" },
  budgetMs: 25_000,
  limits: { unit: "graphemes", title: 100, body: 200 },
  reach: "machine",
  retries: false,
  verification: { check: async ({ settings, ports }) => ports.speech.obstacle(settings.program) },
  async send({ settings, message: { title, body, kind }, language, ports, signal }) {
    // A request's line break has a meaning, so it is read aloud.
    const said = kind === "needs-you" ? body.replaceAll("\n", `, ${lineBreaks[language] ?? lineBreaks["en"]}, `) : body;
    const text = settings.body && body !== "" ? `${title}.\n${said}` : title;
    const { voice, program } = settings;
    // English uses the platform's voice, which the user may have chosen.
    const spoken = language === "en" ? undefined : language;
    await ports.speech.say({ text, signal, program, ...omitUndefined({ voice, language: spoken }) });
  },
});
