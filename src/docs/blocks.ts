import type { Command } from "commander";
import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { answersSchema } from "../config/answers-table.ts";
import { deliverySchema } from "../config/delivery-table.ts";
import { lookupSectionSchema } from "../config/lookup-section.ts";
import { routeSchema } from "../config/route-table.ts";
import { commonNotifierSettings } from "../config/templates-table.ts";
import type { Agent } from "../core/agent.ts";
import type { AgentSettings } from "../core/agent-settings.ts";
import { failureReasons } from "../core/errors.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { notifierLoaders } from "../notifiers/registry.ts";
import { webhookBodySchema } from "../notifiers/shared/webhook-body-schema.ts";
import { templateNames } from "../text/template.ts";
import { commandSections } from "./command-sections.ts";
import { code, table } from "./markdown.ts";
import { notifierIndex, notifierSections, settingsList } from "./notifier-blocks.ts";
import { serviceApiBlocks } from "./service-api.ts";

/** Builds the generated Markdown of docs/, by name. Uses only registries, schemas and the declared commands. */
export async function documentBlocks(program: Command): Promise<Readonly<Record<string, string>>> {
  const loaded = await Promise.all(Object.values(notifierLoaders).map((load) => load()));
  const notifiers = loaded.sort((a, b) => a.name.localeCompare(b.name, "en"));
  const lookups = await Promise.all(Object.values(lookupLoaders).map((load) => load()));
  const byTitle = agents.toSorted((a, b) => a.title.localeCompare(b.title, "en"));
  return {
    ...Object.fromEntries(
      agents.filter(({ settings }) => settings).map((agent) => [`agent-${agent.name}`, describeAgent(agent)]),
    ),
    plugins: table(["Agent", "Install", "Remove"], byTitle.flatMap(pluginRows)),
    notifiers: notifierIndex(notifiers),
    settings: notifierSections(notifiers),
    common: settingsList(commonNotifierSettings),
    routes: settingsList(routeSchema()),
    lookups: lookups.map(({ name, summary, budgetMs }) => `- ${code(name)} (${budgetMs} ms): ${summary}`).join("\n"),
    ...Object.fromEntries(
      lookups.flatMap((lookup) => (lookup.settings ? [[lookup.name, settingsList(lookupSectionSchema(lookup))]] : [])),
    ),
    templates: Object.entries(templateNames)
      .map(([name, meaning]) => `- ${code(`{${name}}`)}: ${meaning}`)
      .join("\n"),
    answers: settingsList(answersSchema),
    delivery: settingsList(deliverySchema),
    reasons: failureReasons.map(code).join(", "),
    body: webhookBodyList(),
    commands: commandSections(program.commands.filter((command) => command.name() !== "service")),
    "service-commands": commandSections(program.commands.filter((command) => command.name() === "service")),
    ...serviceApiBlocks(),
  };
}

/** Writes sentences that say which hooks `install` adds for an agent, and to which files. */
function describeAgent({ name, settings, source }: Agent): string {
  if (!settings) return `[Its hooks](${source})`;
  const { defaultEvents, optionalEvents = [], program } = settings;
  const minimum = program?.minimumVersion?.version;
  return [
    settings.ownText
      ? `\`--agent ${name}\` writes ${listFiles(settings)}.`
      : `\`--agent ${name}\` adds ${Object.keys(defaultEvents).map(code).join(", ")} to ${listFiles(settings)}.`,
    optionalEvents.length > 0 && `On request (\`--also\`): ${optionalEvents.map(code).join(", ")}.`,
    minimum && `Needs ${minimum} or newer.`,
    `[Its hooks](${source})`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Returns the row for an agent in the table of plugins; empty for an agent without plugins. */
function pluginRows({ name, title, plugin }: Agent): string[][] {
  if (!plugin) return [];
  const commands = plugin.installCommands(`./packages/${name}/beckon`).map(code).join("<br>");
  return [[`[${title}](${plugin.source}): ${plugin.word}`, commands, code(plugin.uninstallCommand)]];
}

/** Lists the settings files that get entries, for the user and in a project, with their usual paths on Linux. */
function listFiles({ files }: AgentSettings): string {
  const place = { home: "~", project: ".", env: {}, platform: "linux" } as const;
  const [user = "", project] = (["user", "project"] as const).map((scope) => {
    const listed = files(scope, place);
    const paths = listed.map(({ path }) => code(path.replaceAll("\\", "/")));
    if (listed.some(({ shape }) => shape === "script")) return paths.filter((path) => path.endsWith(".sh`")).join(", ");
    return [...paths.slice(-1), ...paths.slice(0, -1).map((path) => `or ${path} if it exists`)].join(", ");
  });
  return project ? `${user}; in a project to ${project}` : user;
}

/**
 * Builds the JSON schema `docs/webhook-body.schema.json`. The schema allows further fields, because later versions may
 * add some.
 */
export function webhookBodyJsonSchema(): object {
  const title = "An event, as the notifiers webhook, command and file hand it on";
  return { title, ...z.toJSONSchema(webhookBodySchema, { io: "input" }) };
}

/**
 * Lists the fields of the webhook body, optional ones with a question mark. Of the fields inside an object, lists only
 * the names.
 */
function webhookBodyList(): string {
  const { data, ...outer } = webhookBodySchema.shape;
  return [
    ...Object.entries(outer),
    ...Object.entries(data.shape).map(([key, field]) => [`data.${key}`, field] as const),
  ]
    .map(([key, field]) => {
      const mark = field instanceof z.ZodExactOptional ? "?" : "";
      const names = field instanceof z.ZodObject ? `: ${Object.keys(field.shape).map(code).join(", ")}` : ".";
      return `- ${code(`${key}${mark}`)}: ${field.description?.replace(/\.$/, "")}${names}`;
    })
    .join("\n");
}
