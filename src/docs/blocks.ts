import type { Command } from "commander";
import { agents } from "../agents/registry.ts";
import { commonNotifierSettings } from "../config/common-settings-table.ts";
import { deliverySchema } from "../config/delivery-table.ts";
import { lookupSectionSchema } from "../config/lookup-section.ts";
import { routeSchema } from "../config/route-table.ts";
import type { Agent } from "../core/agent.ts";
import type { AgentSettings } from "../core/agent-settings.ts";
import { failureReasons } from "../core/errors.ts";
import type { Lookup } from "../core/lookup.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { notifierLoaders } from "../notifiers/registry.ts";
import { templateNames } from "../text/template.ts";
import { commandSections } from "./command-sections.ts";
import { code, table } from "./markdown.ts";
import { notifierIndex, notifierSections } from "./notifier-blocks.ts";
import { serviceApiBlocks } from "./service-api.ts";
import { settingsList } from "./settings.ts";
import { webhookBodyList } from "./webhook-body-schema.ts";

/** The generated parts of docs/ by name, as Markdown. Made from registries, schemas and the command line alone. */
export async function documentBlocks(program: Command): Promise<Readonly<Record<string, string>>> {
  const loaded = await Promise.all(Object.values(notifierLoaders).map((load) => load()));
  const notifiers = loaded.sort((a, b) => a.name.localeCompare(b.name, "en"));
  const lookups = await Promise.all(Object.values(lookupLoaders).map((load) => load()));
  const byTitle = agents.toSorted((a, b) => a.title.localeCompare(b.title, "en"));
  return {
    agents: table(["Agent", "`--agent`", "Events", "Entries go into", "Versions"], byTitle.map(agentRow)),
    plugins: table(["Agent", "Install", "Remove"], byTitle.flatMap(pluginRows)),
    notifiers: notifierIndex(notifiers),
    settings: notifierSections(notifiers),
    common: settingsList(commonNotifierSettings),
    routes: settingsList(routeSchema()),
    lookups: table(
      ["Lookup", "What it finds", "Takes at most"],
      lookups.map(({ name, summary, budgetMs }) => [code(name), summary, `${budgetMs} ms`]),
    ),
    ...Object.fromEntries(lookups.flatMap((one) => (one.settings ? [[one.name, sectionTable(one)]] : []))),
    templates: table(
      ["Name", "Stands for"],
      Object.entries(templateNames).map(([name, meaning]) => [code(`{${name}}`), meaning]),
    ),
    delivery: settingsList(deliverySchema),
    reasons: failureReasons.map(code).join(", "),
    body: webhookBodyList(),
    commands: commandSections(program.commands.filter((command) => command.name() !== "service")),
    "service-commands": commandSections(program.commands.filter((command) => command.name() === "service")),
    ...serviceApiBlocks(),
  };
}

/** The settings in a lookup's section. */
function sectionTable(lookup: Lookup): string {
  return settingsList(lookupSectionSchema(lookup));
}

/** A row of the table of agents. */
function agentRow({ title, name, settings, source, measured }: Agent): string[] {
  return [
    `[${title}](${source})`,
    code(name),
    Object.keys(settings?.defaultEvents ?? {})
      .map(code)
      .join(", "),
    settings ? entriesOf(settings) : "",
    measured ? `captured: ${measured.join(", ")}` : "documentation only",
  ];
}

/** A row of the table of plugins for an agent that takes them. */
function pluginRows({ name, title, plugin }: Agent): string[][] {
  if (!plugin) return [];
  const commands = plugin.installCommands(`./packages/${name}/beckon`).map(code).join("<br>");
  return [[`[${title}](${plugin.source}): ${plugin.word}`, commands, code(plugin.uninstallCommand)]];
}

/** Where entries go, for the user and in a project, as on Linux with nothing moved. */
function entriesOf({ files }: AgentSettings): string {
  const place = { home: "~", project: ".", env: {}, platform: "linux" } as const;
  const cells = (["user", "project"] as const).flatMap((scope) => {
    const paths = files(scope, place).map(({ path }) => code(path.replaceAll("\\", "/")));
    const [last, ...preferred] = paths.toReversed();
    return last ? [[last, ...preferred.toReversed().map((path) => `or ${path} if there`)].join(", ")] : [];
  });
  return cells.join("; ");
}
