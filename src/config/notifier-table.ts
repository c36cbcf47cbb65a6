import * as z from "zod";
import { audiences } from "../core/notifier.ts";
import { details } from "../core/vocabulary.ts";
import { languages } from "./catalogues.ts";
import { defaultNotifiers } from "./default-notifiers.ts";

/** Notifiers by name. Each entry is checked with the schema of its notifier, which is loaded on demand. */
export const notifiersSchema = z.record(z.string(), z.unknown()).prefault(defaultNotifiers);

/** Common settings of every entry of `notifiers`, except templates. */
export const plainNotifierSettings = z.object({
  for: z
    .enum(audiences)
    .optional()
    .describe(
      "Whom it reaches: a `person`, to whom `attention` applies, a `team`, or a `machine`. Default: as in the table of notifiers.",
    ),
  detail: z
    .enum(details)
    .optional()
    .describe(
      "How much goes there: `full`; `summary`, one line of what was said; `minimal`, project, agent and kind alone. Default `full`, but `minimal` on a public server where anybody can read.",
    ),
  mask: z
    .boolean()
    .optional()
    .describe("Whether what looks like a secret is masked. Default: for everything that leaves this machine."),
  language: z
    .enum(languages)
    .optional()
    .describe("The language of its messages, and of its voice; default: the `language` of all."),
  templates: z.never().optional(),
});
