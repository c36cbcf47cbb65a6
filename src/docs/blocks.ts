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

/** Builds the generated parts of docs/ by name, as Markdown, from registries, schemas and the command line only. */
export async function documentBlocks(program: Command): Promise<Readonly<Record<string, string>>> {
  const loaded = await Promise.all(Object.values(notifierLoaders).map((load) => load()));
  const notifiers = loaded.sort((a, b) => a.name.localeCompare(b.name, "en"));
  const lookups = await Promise.all(Object.values(lookupLoaders).map((load) => load()));
  const byTitle = agents.toSorted((a, b) => a.title.localeCompare(b.title, "en"));
  return {
    ...Object.fromEntries(agents.map((agent) => [`agent-${agent.name}`, agentText(agent)])),
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

/** Builds the table of settings in a lookup's section. */
function sectionTable(lookup: Lookup): string {
  return settingsList(lookupSectionSchema(lookup));
}

/** Builds a row of the table of agents. */
function agentRow({ title, name, settings, source, measured }: Agent): string[] {
  return [
    `\`--agent ${name}\` adds ${Object.keys(defaultEvents).map(code).join(", ")} to ${listFiles(settings)}.`,
    optionalEvents.length > 0 && `On request (\`--also\`): ${optionalEvents.map(code).join(", ")}.`,
    minimum && `Needs ${minimum} or newer.`,
    `[Its hooks](${source})`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Builds a row of the table of plugins for an agent that supports them. */
function pluginRows({ name, title, plugin }: Agent): string[][] {
  if (!plugin) return [];
  const commands = plugin.installCommands(`./packages/${name}/beckon`).map(code).join("<br>");
  return [[`[${title}](${plugin.source}): ${plugin.word}`, commands, code(plugin.uninstallCommand)]];
}

/** Lists the files of entries, for the user and in a project, for an unchanged Linux setup. */
function entriesOf({ files }: AgentSettings): string {
  const place = { home: "~", project: ".", env: {}, platform: "linux" } as const;
  const [user = "", project] = (["user", "project"] as const).map((scope) => {
    const paths = files(scope, place).map(({ path }) => code(path.replaceAll("\\", "/")));
    return [...paths.slice(-1), ...paths.slice(0, -1).map((path) => `or ${path} if there`)].join(", ");
  });
  return cells.join("; ");
}

/** Builds a row of the table of endpoints. */
function endpointRow(endpoint: (typeof endpoints)[number]): string[] {
  const { name, method, base, path, status, query, body, daily, roles } = endpoint;
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part ?? "");
  const given = z.toJSONSchema(z.object({ ...query?.shape, ...body?.shape }), { io: "input", unrepresentable: "any" });
  const properties = Object.entries(given.properties ?? {}) as [string, z.core.JSONSchema.Schema][];
  const fields = properties.map(([field]) => (given.required?.includes(field) ? field : `${field}?`)).join(", ");
  return [
    code(`${name}(${[...parts, fields && `{ ${fields} }`].filter(Boolean).join(", ")})`),
    `${code(`${method} {${base}}${path}`)}${status === 200 ? "" : `, answers ${status}`}`,
    [...(daily ? [`days from ${earliestDay} to yesterday, UTC`] : []), ...properties.flatMap(limitOf)].join("; "),
    pagesOf(endpoint.paging),
    roles?.join(", ") ?? "not shown",
  ];
}

function pagesOf(paging: (typeof endpoints)[number]["paging"]): string {
  if (paging === undefined) return "";
  return paging.parameter === "startDate" ? `of ${paging.walkSize} days` : `by ${code(paging.parameter)}`;
}

/** Lists the limits of a parameter or field in its schema. */
function limitOf([field, schema]: readonly [string, z.core.JSONSchema.Schema]): string[] {
  const { minimum, maximum, minLength, maxLength, format, const: only, enum: values } = schema;
  const listed = values ?? (only === undefined ? [] : [only]);
  if (listed.length > 0) return [`${code(field)} ${listed.map((value) => code(String(value))).join(", ")}`];
  if (minimum === 1) return [`${code(field)} ${(maximum ?? 0) < 1000 ? `1 to ${maximum}` : "1 or more"}`];
  if (maxLength !== undefined) return [`${code(field)} ${minLength} to ${maxLength} characters`];
  return format === "uuid" ? [`${code(field)} a UUID`] : [];
}
