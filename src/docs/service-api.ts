import * as z from "zod";
import { kebabCase } from "../core/vocabulary.ts";
import type { Endpoint } from "../service.ts";
import * as service from "../service.ts";
import { code } from "./markdown.ts";
import { listDocumentedErrors, schemaNames } from "./open-api.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Minimum number of fields of an object that gets its own description. Smaller objects are described in place. */
const minListedFields = 5;

/**
 * Builds the blocks of docs/service-api.md, by name: the contents, the sections of each resource, and the objects that
 * they share.
 */
export function serviceApiBlocks(): Readonly<Record<string, string>> {
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
  const ids = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id ?? "");
  const given = describeParameters(endpoint).map(({ field, isRequired }) => (isRequired ? field : `${field}?`));
  return `${endpoint.name}(${[...ids, ...(given.length > 0 ? [`{ ${given.join(", ")} }`] : [])].join(", ")})`;
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
