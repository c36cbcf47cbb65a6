import * as z from "zod";
import { audiences } from "../core/notifier.ts";
import { details } from "../core/vocabulary.ts";
import { languages } from "./catalogues.ts";
import { defaultNotifiers } from "./defaults.ts";

/** Notifiers by name. Each entry is checked with the schema of its notifier, which is loaded on demand. */
export const notifiersSchema = z.record(z.string(), z.unknown()).prefault(defaultNotifiers);

/** Common settings of every entry of `notifiers`, except templates. */
export const plainNotifierSettings = z.object({
  for: z
    .enum(audiences)
    .optional()
    .describe(
      "Who gets the messages: a `person`, a `team`, or a `machine` (a program). `attention` applies only to a `person`. The default depends on the type.",
    ),
  detail: z
    .enum(details)
    .optional()
    .describe(
      "How much to send: `full`, `summary` (one line), or `minimal` (only project, agent and kind). Default `full`, but `minimal` on a public server where anybody can read.",
    ),
  mask: z
    .boolean()
    .optional()
    .describe("Mask what looks like a secret. Default: true for everything that leaves this machine."),
  language: z
    .enum(languages)
    .optional()
    .describe("Language of this notifier's messages and voice. Default: the general `language`."),
  templates: z.never().optional(),
});
