import * as z from "zod";
import { configTable } from "../../src/config/config-table.ts";
import { lookupSectionSchema } from "../../src/config/lookup-section.ts";
import { notifierEntrySchema } from "../../src/config/notifier-entry.ts";
import { commonNotifierSettings, templatesSchema } from "../../src/config/templates-table.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { referencePattern } from "../../src/core/secret.ts";
import { lookupLoaders } from "../../src/lookups/registry.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";

// Templates are a shared definition, because every notifier may have templates of its own.
z.globalRegistry.add(templatesSchema, { id: "templates" });

type JsonSchema = Record<string, unknown>;

/**
 * Builds the JSON schema of the configuration file, for completion and checks in editors. Uses draft 7, the newest
 * draft that all common editors support. The settings table and the registries define it, as they do for `beckon config
 * check`.
 */
export async function configJsonSchema(): Promise<JsonSchema> {
  const notifiers = z.record(z.string(), await notifierEntries()).optional();
  const schema = z.strictObject({
    ...configTable,
    notifiers: notifiers.describe(configTable.notifiers.description ?? ""),
    ...(await lookupSections()),
  });
  const json: JsonSchema = z.toJSONSchema(schema, { target: "draft-7", io: "input", unrepresentable: "any" });
  const { $schema, ...rest } = json;
  const title = { $schema, title: "Configuration of beckon" };
  const properties = rest["properties"] as JsonSchema;
  return { ...title, ...rest, properties: { ...properties, notifiers: allowReferences(properties["notifiers"]) } };
}

async function notifierEntries() {
  const entries = Object.entries(notifierLoaders).map(async ([type, load]) => {
    const notifier = await load();
    return notifierEntrySchema(type, notifier, commonNotifierSettings).describe(notifier.summary);
  });
  const [first, ...rest] = await Promise.all(entries);
  if (!first) throw new Error("the registry of notifiers is empty");
  return z.discriminatedUnion("type", [first, ...rest]);
}

async function lookupSections(): Promise<Record<string, z.ZodType>> {
  const lookups = await Promise.all(Object.values(lookupLoaders).map((load) => load()));
  const sections = lookups.flatMap((lookup): [string, z.ZodType][] =>
    lookup.settings ? [[lookup.name, lookupSectionSchema(lookup).optional().describe(lookup.summary)]] : [],
  );
  return Object.fromEntries(sections);
}

/** Allows references in a notifier's settings, even if the text itself must have a fixed form. */
function allowReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(allowReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  const { description, ...rules } = schema as JsonSchema;
  const hasForm = rules["type"] === "string" && ["enum", "format", "pattern"].some((keyword) => keyword in rules);
  if (hasForm) {
    const reference = { type: "string", pattern: referencePattern.source };
    return omitUndefined<JsonSchema>({ description, anyOf: [reference, rules] });
  }
  const inner = ["properties", "additionalProperties", "items", "oneOf"].filter((keyword) => keyword in rules);
  const replaced = inner.map((keyword) => [
    keyword,
    keyword === "properties" ? allowInSettings(rules[keyword]) : allowReferences(rules[keyword]),
  ]);
  return { ...(schema as JsonSchema), ...Object.fromEntries(replaced) };
}

/** Allows references in a notifier's own settings only. References in common settings are not resolved. */
function allowInSettings(properties: unknown): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties as JsonSchema).map(([name, schema]) => [
      name,
      Object.hasOwn(commonNotifierSettings.shape, name) ? schema : allowReferences(schema),
    ]),
  );
}
