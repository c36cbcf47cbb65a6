import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { details } from "../core/detail.ts";
import type { Notifier } from "../core/notifier.ts";
import { type Template, unknownNames } from "../core/template.ts";
import { eventNames, kinds } from "../core/vocabulary.ts";
import { languages } from "./catalogues.ts";

const templateText = z.string().superRefine((text, context) => {
  for (const name of unknownNames(text))
    context.addIssue({ code: "custom", message: `unknown name {${name}}`, params: { unknownName: name } });
});
const template: z.ZodType<Template> = z.union([templateText, z.array(templateText).min(1)]);

const messageTemplate = z.strictObject({
  title: template.optional().describe("Title; a list is tried in turn until one can be filled completely."),
  body: template.optional().describe("Text below the title; a list is tried in turn likewise."),
});

const templateKeys = [
  ...eventNames,
  ...eventNames.map((event) => `${event}:failed` as const),
  "failed",
  "info",
] as const;

/** Message templates by event. A failure has words of its own: `<event>:failed`, else `failed`. */
export const templatesSchema = z.partialRecord(z.enum(templateKeys), messageTemplate);

/** One route. */
export const routeSchema = z.strictObject({
  on: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(`Events: ${eventNames.join(", ")}, or an agent's own.`),
  kinds: z.array(z.enum(kinds)).min(1).optional().describe("Why you are called."),
  agents: z
    .array(z.enum(agents.map((agent) => agent.name) as [string, ...string[]]))
    .min(1)
    .optional()
    .describe("Agents."),
  projects: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .optional()
    .describe("Globs on the working directory; `~/` is your home folder."),
  reasons: z.array(z.string()).min(1).optional().describe("Reasons of a SessionEnd, or of a failure."),
  to: z.array(z.string()).min(1).describe("Names of notifiers."),
});

const minutes = (byDefault: number) =>
  z
    .number()
    .positive()
    .max(7 * 24 * 60)
    .default(byDefault);

/** The language of what beckon says by itself. */
export const languageSchema = z.enum(languages).default("en").describe("The language of messages.");

/** How events are delivered. Defaults are in the schema. */
export const deliverySchema = z.strictObject({
  retryDelaysSeconds: z
    .array(z.number().min(0.1).max(86_400))
    .min(1)
    .default([5, 30, 120, 600, 1800, 7200, 21_600])
    .describe("Waits before the second, third … attempt, ± 20 %; the last one is repeated until the event expires."),
  expireMinutes: z
    .strictObject({ "needs-you": minutes(15), failed: minutes(24 * 60), finished: minutes(6 * 60), info: minutes(60) })
    .prefault({})
    .describe("How long an event is worth delivering, by kind."),
  lingerSeconds: z.number().min(0).max(3600).default(5).describe("How long the worker stays after the last event."),
});

/** What every entry of `notifiers` may say besides the notifier's own settings. */
export const commonNotifierSettings = z.object({
  detail: z
    .enum(details)
    .optional()
    .describe(
      "How much goes there: `full`; `summary`, one line of what was said; `minimal`, project, agent and kind alone. Default `full`, but `minimal` for `ntfy` on a public server.",
    ),
  mask: z
    .boolean()
    .optional()
    .describe("Whether what looks like a secret is masked. Default: for everything that leaves this machine."),
  templates: templatesSchema.optional().describe("Message templates for this notifier alone."),
});

/** One entry of `notifiers`: the notifier's own settings, its type, and what every notifier takes. */
export function notifierEntrySchema(type: string, { settings }: Notifier) {
  return settings.extend({ type: z.literal(type), ...commonNotifierSettings.shape }).strict();
}
