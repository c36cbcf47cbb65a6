import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { duration } from "../core/duration.ts";
import { audiences } from "../core/notifier.ts";
import { type Template, unknownNames } from "../core/template.ts";
import { details, eventNames, kinds } from "../core/vocabulary.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { attentionSchema } from "./attention-table.ts";
import { languages } from "./catalogues.ts";
import { defaultNotifiers } from "./default-notifiers.ts";
import { relaySchema } from "./relay-table.ts";

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
  "done",
  "moved",
] as const;

/**
 * Message templates by event. A failure has its own: `<event>:failed`, else `failed`; `done` is for what is resolved,
 * `moved` for what a newer message tells.
 */
export const templatesSchema = z.partialRecord(z.enum(templateKeys), messageTemplate);

/** A condition of a route: a list with at least one item. */
const condition = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).min(1).optional().describe(description);

/** A rule: an event that meets all of its conditions goes to the notifiers it names. */
export const routeSchema = z.strictObject({
  on: condition(z.string(), `Events: ${eventNames.join(", ")}, or an agent's own.`),
  kinds: condition(z.enum(kinds), "Why you are called."),
  agents: condition(z.enum(agents.map(({ name }) => name)), "Agents."),
  hosts: condition(
    z.string().min(1).max(300),
    "Globs on the name of the agent's machine, of those that a relay brings in; `localhost` is this one.",
  ),
  projects: condition(z.string().min(1).max(4096), "Globs on the working directory; `~/` is your home folder."),
  reasons: condition(z.string(), "Reasons of a SessionEnd, or of a failure."),
  minTurn: duration({ min: "1s", max: "1d" }).optional().describe("Only ends of turns that took at least so long."),
  when: z
    .enum(["away", "here"])
    .optional()
    .describe("Only while you are away from this machine, or only while you are here."),
  after: duration({ min: "1s", max: "1d" }).optional().describe("Only what is still open after so long: `5m`."),
  repeat: z
    .strictObject({
      every: duration({ min: "10s", max: "1d" }).describe("How long after the one before."),
      times: z.number().int().min(1).max(20).describe("How many times, from 1 to 20."),
    })
    .optional()
    .describe('Tells it again while it is still open: `{ "every": "10m", "times": 2 }`.'),
  to: z.array(z.string()).min(1).describe("Names of notifiers."),
});

/** What every entry of `notifiers` may say besides the notifier's own settings. */
export const commonNotifierSettings = z.object({
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
  templates: templatesSchema.optional().describe("Message templates for this notifier alone."),
});

const expiry = duration({ min: "1ms", max: "7d" });

/** How events are delivered, with the defaults. Read, its durations are milliseconds. */
export const deliverySchema = z.strictObject({
  retryDelays: z
    .array(duration({ min: "100ms", max: "1d" }))
    .min(1)
    .prefault(["5s", "30s", "2m", "10m", "30m", "2h", "6h"])
    .describe(
      "Waits before the second, third … attempt, ± 20 %, from `100ms` to `1d`; the last one is repeated until the event expires.",
    ),
  expire: z
    .strictObject({
      "needs-you": expiry.prefault("15m"),
      failed: expiry.prefault("1d"),
      finished: expiry.prefault("6h"),
      info: expiry.prefault("1h"),
    })
    .prefault({})
    .describe("How long an event is worth delivering, by kind; at most `7d`."),
  linger: duration({ min: "0s", max: "1h" })
    .prefault("5s")
    .describe("How long the worker stays after the last event; at most `1h`."),
});

/**
 * The top-level settings of the configuration file: what each holds, with its description and its default. Parser, JSON
 * schema, `config show`, the `Config` type and the known keys derive from it. Besides these, every lookup that has
 * settings has a key of its own name.
 */
export const configTable = {
  $schema: z.string().optional().describe("Where editors find this schema."),
  notifiers: z
    .record(z.string(), z.unknown()) // an entry is checked by the schema of its notifier, which is loaded for it
    .prefault(defaultNotifiers)
    .describe("Who can be told, by a name of your choice. Default: this machine's desktop and a sound."),
  routes: z
    .array(routeSchema)
    .optional()
    .describe("Rules; every one that matches adds its notifiers. Default: all of them for all but `info`."),
  lookups: z
    .array(z.enum(Object.keys(lookupLoaders)))
    .optional()
    .describe("Where facts about the session are looked up. Default: the transcript, and each one that has settings."),
  templates: templatesSchema
    .prefault({})
    .describe(
      "Message templates by event; `failed` for failures of any event, `done` for messages that are marked as done.",
    ),
  language: z.enum(languages).prefault("en").describe("The language of messages."),
  attention: attentionSchema
    .prefault({})
    .describe("When you are told: what is held, grouped, and left out because you know it already."),
  delivery: deliverySchema.prefault({}).describe("Retries, expiry, and how long the worker stays."),
  relay: relaySchema.optional().describe("Other machines whose agents call you here; see docs/relay.md."),
};

/** A top-level setting of the configuration file. */
export type SettingName = keyof typeof configTable;

/** All top-level settings, in the order of the table. */
export const settingNames = Object.keys(configTable) as SettingName[];

const { notifiers, routes, lookups, ...others } = configTable;
/** The settings that are read by their schema alone; the parser has a reader for each of the three others. */
export const settingsBySchema = others;

/** The values of the settings that are read by their schema alone. */
export type SchemaValues = {
  readonly [Name in keyof typeof settingsBySchema]: z.output<(typeof settingsBySchema)[Name]>;
};
