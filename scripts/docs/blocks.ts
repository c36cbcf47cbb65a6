import type { Command } from "commander";
import * as z from "zod";
import { agents } from "../../src/agents/registry.ts";
import { pathIds } from "../../src/cli/commands/service/request/command-shape.ts";
import { answersSchema } from "../../src/config/answers-table.ts";
import { deliverySchema } from "../../src/config/delivery-table.ts";
import { lookupSectionSchema } from "../../src/config/lookup-section.ts";
import { routeSchema } from "../../src/config/route-table.ts";
import { commonNotifierSettings } from "../../src/config/templates-table.ts";
import type { Agent } from "../../src/core/agent.ts";
import type { AgentSettings } from "../../src/core/agent-settings.ts";
import { failureReasons } from "../../src/core/errors.ts";
import { kebabCase } from "../../src/core/vocabulary.ts";
import { lookupLoaders } from "../../src/lookups/registry.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";
import { webhookBodySchema } from "../../src/notifiers/shared/webhook-body-schema.ts";
import type { Endpoint } from "../../src/service.ts";
import * as service from "../../src/service.ts";
import { templateNames } from "../../src/text/template.ts";
import { commandSections } from "./command-sections.ts";
import { code, table } from "./markdown.ts";
import { notifierIndex, notifierSections, settingsList } from "./notifier-blocks.ts";
import { listDocumentedErrors, schemaNames } from "./open-api.ts";

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

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Minimum number of fields of an object that gets its own description. Smaller objects are described in place. */
const minListedFields = 5;

/**
 * Builds the blocks of docs/service-api.md, by name: the contents, the sections of each resource, and the objects that
 * they share.
 */
function serviceApiBlocks(): Readonly<Record<string, string>> {
  const objects = new Map<string, string>();
  const resources = [...new Set(service.endpoints.map(resourceName))].map((resource) => {
    const endpoints = service.endpoints.filter((endpoint) => resourceName(endpoint) === resource);
    return { resource, endpoints, text: endpoints.map((endpoint) => section(endpoint, objects)).join("\n\n") };
  });
  return {
    "api-contents": resources.map(({ endpoints }) => `- ${endpoints.map(link).join(", ")}`).join("\n"),
    ...Object.fromEntries(resources.map(({ resource, text }) => [`api-${resource}`, text])),
    "api-objects": [...objects].map(([name, fields]) => `- ${code(name)}: ${fields}.`).join("\n"),
  };
}

function resourceName({ name }: Endpoint): string {
  return kebabCase(name.split(".")[0] ?? "");
}

function link({ name }: Endpoint): string {
  return `[${name}](#${name.toLowerCase().replace(".", "")})`;
}

function section(endpoint: Endpoint, objects: Map<string, string>): string {
  const { name, summary, method, base, path, status, roles, items, reply, groupedReply } = endpoint;
  const errors = Object.keys(listDocumentedErrors(endpoint)).join(", ") || "not documented";
  const limits = describeParameters(endpoint).flatMap(({ field, schema }) => {
    const limit = describeValue(schema, () => "");
    return limit === "" ? [] : [`${code(field)}: ${limit}`];
  });
  return [
    `### ${name}`,
    summary,
    `\`\`\`\n${method} {${base}}${path}\nclient.${describeCall(endpoint)}\n\`\`\``,
    [
      ...limits.map((limit) => `- ${limit}.`),
      `- ${items ? "Row" : `Reply (${status})`}, ${describeReply(reply, items, objects)}`,
      ...(groupedReply ? [`- Row with \`groupBy\`, ${describeReply(groupedReply, items, objects)}`] : []),
      `- Roles: ${roles?.join(" or ") ?? "not documented"}. Errors: ${errors}.`,
    ].join("\n"),
  ].join("\n\n");
}

function describeCall(endpoint: Endpoint): string {
  const given = describeParameters(endpoint).map(({ field, isRequired }) => (isRequired ? field : `${field}?`));
  return `${endpoint.name}(${[...pathIds(endpoint), ...(given.length > 0 ? [`{ ${given.join(", ")} }`] : [])].join(", ")})`;
}

function describeParameters({ query, body }: Endpoint) {
  const { properties, required } = z.toJSONSchema(z.object({ ...query?.shape, ...body?.shape }), {
    io: "input",
    unrepresentable: "any",
  });
  return Object.entries(properties ?? {}).map(([field, schema]) => ({
    field,
    schema: schema as JsonSchema,
    isRequired: required?.includes(field) === true,
  }));
}

/** Describes the type of a row or reply, and its fields. Adds the large objects in it to `objects`. */
function describeReply(reply: z.ZodType, items: string | undefined, objects: Map<string, string>): string {
  const list = items === undefined ? undefined : ((reply as z.ZodObject).shape[items] as z.ZodArray);
  const { $ref, $defs = {} } = z.toJSONSchema((list?.element ?? reply) as z.ZodType, { metadata: schemaNames });
  const describeRef = (reference: string): string => {
    const { name = "", schema = {} } = findReferenced(reference);
    const fields = describeValue(schema, describeRef);
    if (Object.keys(schema.properties ?? {}).length < minListedFields) return fields;
    objects.set(name, fields);
    return code(name);
  };
  const findReferenced = (reference: string) => {
    const name = reference.replace("#/$defs/", "");
    return { name, schema: $defs[name] as JsonSchema };
  };
  const { name, schema } = findReferenced($ref ?? "");
  return `${code(name)}: ${describeValue(schema, describeRef)}.`;
}

/** Describes the documented values, parts or bounds of a value; empty if there are none. */
function describeValue(schema: JsonSchema, describeRef: (reference: string) => string): string {
  const describe = (inner: unknown): string => describeValue((inner ?? {}) as JsonSchema, describeRef);
  const { $ref, type, anyOf = [], enum: values, const: only, examples, properties } = schema;
  if ($ref !== undefined) return describeRef($ref);
  const listed = values ?? (only === undefined ? examples : [only]);
  if (Array.isArray(listed)) return listed.map((value) => code(String(value))).join(", ");
  if (Array.isArray(type)) return "or null";
  if (anyOf.some((option) => (option as JsonSchema).type === "null"))
    return `${anyOf.map(describe).join("")} or null`.trim();
  if (type === "array") return joinParts("list", describe(schema.items));
  if (type === "object" && !properties) return joinParts("map", describe(schema.additionalProperties));
  const fields = Object.entries(properties ?? {}).map(([name, property]) => {
    const value = describe(property);
    return `${code(schema.required?.includes(name) ? name : `${name}?`)}${value && ` (${value})`}`;
  });
  return fields.length > 0 ? fields.join(", ") : describeBounds(schema);
}

function describeBounds({ minLength, maxLength, minimum, maximum, format }: JsonSchema): string {
  if (maxLength !== undefined) return `${minLength} to ${maxLength} characters`;
  if (minimum === 1) return (maximum ?? Number.MAX_VALUE) < 1000 ? `1 to ${maximum}` : "1 or more";
  return format === "uuid" ? "a UUID" : "";
}

function joinParts(shape: "list" | "map", parts: string): string {
  return parts === "" ? shape : `${shape} of ${parts}`;
}
