import { isAbsolute, join } from "node:path";
import * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import { defineNotifier } from "../core/notifier.ts";
import type { Kind } from "../core/vocabulary.ts";
import { findUp } from "../files/paths.ts";
import { forKinds, ownProgram } from "./shared/settings.ts";

/** Names of the sounds in `templates/sounds/<name>.wav`. */
export const shippedSounds = ["attention", "done", "failed", "soft"] as const;

const defaults: Readonly<Record<Kind, (typeof shippedSounds)[number]>> = {
  "needs-you": "attention",
  failed: "failed",
  finished: "done",
  info: "soft",
};

const absolutePath = z.string().refine(isAbsolute, `must be one of ${shippedSounds.join(", ")}, or an absolute path`);
const soundFor = (kind: Kind) =>
  z
    .union([z.enum(shippedSounds), absolutePath])
    .optional()
    .describe(
      `Sound for \`${kind}\`: ${shippedSounds.join(", ")}, or the absolute path of a file; default \`${defaults[kind]}\`.`,
    );

export const sound = defineNotifier({
  name: "sound",
  summary: "Plays a short sound on this machine, one for each kind of event.",
  source: "https://www.freedesktop.org/wiki/Specifications/sound-theme-spec/",
  audience: "person",
  at: "desk",
  isAudible: true,
  textIsRead: false,
  settings: z.strictObject({
    sounds: z
      .strictObject(forKinds(soundFor))
      .optional()
      .describe(
        "Sound for each kind: a built-in sound, or a WAV, AIFF, MP3, Ogg or FLAC file of at most 5 seconds and 10 MiB.",
      ),
    program: ownProgram("Absolute path of your own player, which gets the file as its only argument."),
  }),
  example: { sounds: { "needs-you": "attention", finished: "done" } },
  budgetMs: 6000,
  urgency: defaults,
  limits: { unit: "graphemes", title: 100, body: 300 },
  reach: "machine",
  retries: false,
  verification: { check: async ({ settings, ports }) => ports.sound.obstacle(settings.program) },
  async send({ settings, message, ports, signal }) {
    const chosen = settings.sounds?.[message.kind] ?? defaults[message.kind];
    const file = isAbsolute(chosen) ? chosen : shippedFile(chosen);
    await ports.sound.play({ file, program: settings.program, signal });
  },
});

function shippedFile(name: string): string {
  const folder = findUp(import.meta.url, "templates/sounds");
  if (folder !== undefined) return join(folder, `${name}.wav`);
  throw new DeliveryError("unsupported", "beckon's own sounds are not installed", { hint: "Run the installer again." });
}
