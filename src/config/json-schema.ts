import * as z from "zod";
import { referencePattern } from "../core/secret.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { notifierLoaders } from "../notifiers/registry.ts";
import {
  commonNotifierSettings,
  deliverySchema,
  languageSchema,
  notifierEntrySchema,
  routeSchema,
  templatesSchema,
} from "./config-table.ts";

// Written out once; every notifier may have templates of its own.
z.globalRegistry.add(templatesSchema, { id: "templates" });

type JsonSchema = Record<string, unknown>;

/**
 * The JSON schema of the configuration file, for completion and checks in editors: draft 7, the newest that all common
 * editors know. Made from the registries; says the same as `beckon config check`.
 */
export async function configJsonSchema(): Promise<JsonSchema> {
  const schema = z.strictObject({
    $schema: z.string().optional().describe("Where editors find this schema."),
    notifiers: z
      .record(z.string(), await notifierEntries())
      .optional()
      .describe("Who can be told, by a name of your choice. Default: this machine's desktop and a sound."),
    routes: z
      .array(routeSchema)
      .optional()
      .describe("Rules; every one that matches adds its notifiers. Default: all of them for all but `info`."),
    lookups: z.array(z.enum(lookupNames)).optional().describe("Where facts about the session are looked up."),
    ...(await lookupSections()),
    templates: templatesSchema.optional().describe("Message templates by event; `failed` for failures of any event."),
    language: languageSchema,
    delivery: deliverySchema.optional().describe("Retries, expiry, and how long the worker stays."),
  });
  const json: JsonSchema = z.toJSONSchema(schema, { target: "draft-7", io: "input", unrepresentable: "any" });
  const { $schema, ...rest } = json;
  const title = { $schema, title: "Configuration of beckon" };
  const properties = rest["properties"] as JsonSchema;
  return { ...title, ...rest, properties: { ...properties, notifiers: allowReferences(properties["notifiers"]) } };
}

const lookupNames = Object.keys(lookupLoaders) as [string, ...string[]];

async function notifierEntries() {
  const entries = Object.entries(notifierLoaders).map(async ([type, load]) => {
    const notifier = await load();
    return notifierEntrySchema(type, notifier).describe(notifier.summary);
  });
  const [first, ...rest] = await Promise.all(entries);
  if (!first) throw new Error("the registry of notifiers is empty");
  return z.discriminatedUnion("type", [first, ...rest]);
}

async function lookupSections(): Promise<Record<string, z.ZodType>> {
  const lookups = await Promise.all(Object.values(lookupLoaders).map((load) => load()));
  const sections = lookups.flatMap(({ name, summary, settings }): [string, z.ZodType][] =>
    settings ? [[name, settings.strict().optional().describe(summary)]] : [],
  );
  return Object.fromEntries(sections);
}

/** A reference may stand for any text of a notifier's settings, also for one that must look a certain way. */
function allowReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(allowReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  const { description, ...own } = schema as JsonSchema;
  const isNarrowText = own["type"] === "string" && ["enum", "format", "pattern"].some((word) => word in own);
  if (isNarrowText) {
    const reference = { type: "string", pattern: referencePattern.source };
    return { ...(description !== undefined && { description }), anyOf: [reference, own] };
  }
  const inner = ["properties", "additionalProperties", "items", "oneOf"].filter((word) => word in own);
  const replaced = inner.map((word) => [word, word === "properties" ? allowIn(own[word]) : allowReferences(own[word])]);
  return { ...(schema as JsonSchema), ...Object.fromEntries(replaced) };
}

function allowIn(properties: unknown): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties as JsonSchema).map(([name, schema]) => [
      name,
      Object.hasOwn(commonNotifierSettings.shape, name) ? schema : allowReferences(schema),
    ]),
  );
}
