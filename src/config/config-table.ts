import * as z from "zod";
import { answersSchema } from "./answers-table.ts";
import { attentionSchema, limitsSchema } from "./attention-table.ts";
import { languages } from "./catalogues.ts";
import { deliverySchema } from "./delivery-table.ts";
import { lookupsSchema } from "./lookup-section.ts";
import { notifiersSchema } from "./notifier-table.ts";
import { relaySchema } from "./relay-table.ts";
import { routeSchema } from "./route-table.ts";
import { templatesSchema } from "./templates-table.ts";

/**
 * Top-level settings of the configuration file, with descriptions and defaults. Parser, JSON schema, `config show`, the
 * `Config` type and the known keys derive from it. Each lookup with settings also has a key with its name.
 */
export const configTable = {
  $schema: z.string().optional().describe("Address of this schema, for your editor."),
  notifiers: notifiersSchema.describe(
    "Notifiers, by names of your choice. Default: this machine's desktop and a sound.",
  ),
  routes: z
    .array(routeSchema())
    .optional()
    .describe(
      "Rules that choose the notifiers for an event. Every matching rule adds its notifiers. Default: all notifiers, for all kinds but `info`.",
    ),
  lookups: lookupsSchema.describe(
    "Lookups that find facts about a session. Default: `transcript`, and each lookup that has settings.",
  ),
  templates: templatesSchema
    .prefault({})
    .describe(
      "Message templates, by event. `failed` is for failures of any event, `done` for messages that are marked as done.",
    ),
  language: z.enum(languages).prefault("en").describe("Language of messages."),
  attention: attentionSchema
    .prefault({})
    .describe("When to notify you: waiting times, grouping, quiet hours, and messages that are not sent."),
  limits: limitsSchema
    .optional()
    .describe(
      "Percentages of an agent's usage limit at which to notify you, such as `[80, 95]`; once for each window of the limit. Default: none.",
    ),
  delivery: deliverySchema
    .prefault({})
    .describe("Retries, expiry of events, and how long the background worker stays."),
  answers: answersSchema
    .optional()
    .describe("Permission requests that you may answer outside the agent; see docs/answers.md. Default: none."),
  relay: relaySchema.optional().describe("Other machines whose agents notify you on this machine; see docs/relay.md."),
};

/** Top-level setting of the configuration file. */
export type SettingName = keyof typeof configTable;

/** Top-level settings, in the order of the table. */
export const settingNames = Object.keys(configTable) as SettingName[];

/** Values of the settings that the parser reads with their schema alone. Other settings have special readers. */
export type SectionValues = {
  readonly [Name in Exclude<SettingName, "notifiers" | "routes" | "lookups">]: z.output<(typeof configTable)[Name]>;
};
