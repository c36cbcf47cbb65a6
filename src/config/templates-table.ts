import * as z from "zod";
import { eventNames, limitEvent } from "../core/vocabulary.ts";
import { type Template, unknownNames } from "../text/template.ts";
import { plainNotifierSettings } from "./notifier-table.ts";

const templateText = z.string().superRefine((text, context) => {
  for (const name of unknownNames(text))
    context.addIssue({ code: "custom", message: `unknown name {${name}}`, params: { unknownName: name } });
});
const template: z.ZodType<Template> = z.union([templateText, z.array(templateText).min(1)]);

const messageTemplate = z.strictObject({
  title: template
    .optional()
    .describe("Template of the title. Of a list, the first template that can be filled completely is used."),
  body: template
    .optional()
    .describe(
      "Template of the text below the title. Of a list, the first template that can be filled completely is used.",
    ),
});

const templateKeys = [
  ...eventNames,
  ...eventNames.map((event) => `${event}:failed` as const),
  "failed",
  "info",
  limitEvent,
  "Message",
  "Run",
  "done",
  "moved",
] as const;

/**
 * Message templates by event. Failures use `<event>:failed`, or else `failed`. `Limit` is for usage limits, `Message` for
 * `beckon send`, `Run` for a finished `beckon run`, `done` for resolved messages, `moved` for superseded messages.
 */
export const templatesSchema = z.partialRecord(z.enum(templateKeys), messageTemplate);

/** Settings of every entry of `notifiers`, in addition to the notifier's own settings. */
export const commonNotifierSettings = plainNotifierSettings.extend({
  templates: templatesSchema.optional().describe("Message templates for this notifier only."),
});
