import * as z from "zod";
import { takesJwt } from "../../src/service/endpoint.ts";
import * as service from "../../src/service.ts";
import { controlSettingsSchema, type Endpoint, endpoints } from "../../src/service.ts";
import { fieldDescriptions } from "./field-descriptions.ts";

type Json = Readonly<Record<string, unknown>>;

/** Builds the OpenAPI document of `docs/openapi.json`: https://spec.openapis.org/oas/v3.1.0 */
export function openApiDocument(): Json {
  const schemas: Record<string, unknown> = { Error: errorSchema };
  const paths: Record<string, Record<string, unknown>> = {};
  describeReply(controlSettingsSchema, schemas); // no reply refers to it
  for (const endpoint of endpoints) {
    const item = paths[endpoint.path] ?? (endpoint.base === "appUrl" ? { servers: [appServer] } : {});
    paths[endpoint.path] = { ...item, [endpoint.method.toLowerCase()]: describeOperation(endpoint, schemas) };
  }
  const byName = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: "3.1.0",
    info: {
      title: "Organization usage, readiness, sessions and administration API",
      version: "1.0.0",
      description:
        "The service of a coding-agent platform: analytics, readiness reports, settings history, sessions, " +
        "computers, users. Days are UTC. Replies may have more fields than described, and texts other than the examples.",
    },
    servers: [baseServer],
    security: [{ apiKey: [] }],
    paths,
    components: { schemas: Object.fromEntries(byName), securitySchemes },
  };
}

const baseServer = {
  url: "{baseUrl}",
  variables: { baseUrl: { default: "https://api.example.com", description: "Address of the API." } },
};

const appServer = {
  url: "{appUrl}",
  variables: { appUrl: { default: "https://app.example.com", description: "Address of the web application." } },
};

const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "API key, created at `{appUrl}/settings/api-keys`. The organization can restrict who may create keys.",
  },
  jwt: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "JWT, accepted by `/api/v0`." },
};

const errorSchema = {
  type: "object",
  description: "Error body of analytics. Those of other operations are not documented.",
  properties: {
    title: { type: "string", description: "Phrase of the status." },
    detail: { type: "string", description: "Reason for people to read." },
    status: { type: "integer" },
    requestId: { type: "string", description: "Id of the request, for the service's support." },
  },
  required: ["title", "detail", "status", "requestId"],
};

function describeOperation(endpoint: Endpoint, schemas: Record<string, unknown>): Json {
  const { name, summary, roles, body } = endpoint;
  const [resource = ""] = name.split(".");
  const description = [describePaging(endpoint), roles && `Roles: ${roles.join(" or ")}.`].filter(Boolean).join(" ");
  return {
    operationId: nameOperation(endpoint),
    summary: summary.replace(/\.$/, ""),
    ...(description !== "" && { description }),
    tags: [resource],
    ...(takesJwt(endpoint) && { security: [{ apiKey: [] }, { jwt: [] }] }),
    parameters: [...listIds(endpoint), ...listQuery(endpoint)],
    ...(body && { requestBody: { required: true, content: toContent(describeInput(body)) } }),
    responses: { ...describeSuccess(endpoint, schemas), ...describeErrors(endpoint) },
  };
}

/** Names an operation in camel case, such as `sessionsCreate`. */
function nameOperation({ name }: Endpoint): string {
  return name.replace(/\.(\w)/, (_, first: string) => first.toUpperCase());
}

function describePaging({ paging }: Endpoint): string | undefined {
  if (paging?.parameter === "cursor") {
    return `While \`${paging.at}.${paging.more}\` is true, \`cursor\` set to \`${paging.at}.${paging.next}\` gets the next page.`;
  }
  if (paging?.parameter !== "startAfter") return undefined;
  return `\`startAfter\` set to the \`${paging.key}\` of the last item gets the next page. The last page is not marked.`;
}

function listIds({ path }: Endpoint): Json[] {
  return [...path.matchAll(/\{(\w+)Id\}/g)].map(([, resource = ""]) => ({
    name: `${resource}Id`,
    in: "path",
    required: true,
    description: `Id of the ${resource}.`,
    schema: { type: "string", minLength: 1 },
  }));
}

/** Descriptions in place of those that speak of the command line. */
const ownDescriptions: Readonly<Record<string, string>> = {
  groupBy: "Flattens one breakdown into rows with `date`, `group_key` and numbers, instead of a row per day.",
  limit: "Items on a page.",
  cursor: "Value that the previous page gave for this one.",
};

function listQuery({ query }: Endpoint): Json[] {
  const { properties = {}, required = [] } = query ? describeInput(query) : {};
  return Object.entries(properties).map(([field, property]) => {
    const { description, ...schema } = property as z.core.JSONSchema.BaseSchema;
    const own = ownDescriptions[field];
    return {
      name: field === "groupBy" ? "group_by" : field,
      in: "query",
      required: required.includes(field),
      description: own ?? description,
      schema: describeParameter(field, schema),
    };
  });
}

/** Number of items on a page if a request sets no `limit`. Stated only if the API document bounds `limit`. */
const defaultLimit = 20;

function describeParameter(field: string, schema: z.core.JSONSchema.BaseSchema): Json {
  // The client also takes a Date, which it sends as a day.
  if (schema.format === "date") return { type: "string", format: "date" };
  return field === "limit" && schema.maximum !== undefined ? { ...schema, default: defaultLimit } : schema;
}

function describeSuccess(endpoint: Endpoint, schemas: Record<string, unknown>): Json {
  const { status, reply, groupedReply, items, paging } = endpoint;
  const refer = (schema: z.ZodType) => describeReply(schema, schemas);
  const schema = groupedReply ? { anyOf: [refer(reply), refer(groupedReply)] } : refer(reply);
  const description = items === undefined ? "Success." : `A page; \`${items}\` has the items.`;
  const next = paging?.parameter === "cursor" && {
    operationId: nameOperation(endpoint),
    description: "The next page, with all other parameters unchanged.",
    parameters: { cursor: `$response.body#/${paging.at}/${paging.next}` },
  };
  return { [status]: { description, content: toContent(schema), ...(next && { links: { next } }) } };
}

function describeErrors(endpoint: Endpoint): Json {
  const documented = Object.entries(listDocumentedErrors(endpoint)).map(([status, description]) => {
    const hasBody = endpoint.path.startsWith("/api/v1/analytics/");
    return [
      status,
      { description, ...(hasBody && { content: toContent({ $ref: "#/components/schemas/Error" }) }) },
    ] as const;
  });
  const others = documented.length === 0 ? "Failure." : "Other failure.";
  const description = `${others} The API document does not describe it.`;
  return { ...Object.fromEntries(documented), default: { description } };
}

function toContent(schema: Json): Json {
  return { "application/json": { schema } };
}

/** Describes a reply; `schemas` gets the named schemas that it refers to. */
function describeReply(reply: z.ZodType, schemas: Record<string, unknown>): Json {
  const { $defs = {}, ...schema } = z.toJSONSchema(reply, { metadata: schemaNames, override: addMetadata });
  for (const [name, definition] of Object.entries($defs)) {
    schemas[name] = describeFields(name.replace("Listed", ""), simplify(definition) as Json);
  }
  return simplify(schema) as Json;
}

/** Schemas with the known properties of objects that the client reads as any object. */
const references: Readonly<Record<string, string>> = { "ControlChange.settings": "ControlSettings" };

/** Adds descriptions to the fields of a named object that have none. */
function describeFields(name: string, schema: Json): Json {
  if (schema["properties"] === undefined) return schema;
  const described = Object.entries(schema["properties"] as Record<string, Json>).map(([field, property]) => {
    const description = fieldDescriptions[`${name}.${field}`] ?? fieldDescriptions[field];
    const reference = references[`${name}.${field}`];
    const own = { ...(description !== undefined && { description }), ...property };
    return [
      field,
      reference === undefined ? own : { description: own.description, $ref: `#/components/schemas/${reference}` },
    ] as const;
  });
  const isOpen = Object.values(references).includes(name);
  return { ...schema, properties: Object.fromEntries(described), ...(isOpen && { additionalProperties: true }) };
}

function describeInput(input: z.ZodObject): z.core.JSONSchema.BaseSchema {
  return simplify(z.toJSONSchema(input, { io: "input", unrepresentable: "any" })) as z.core.JSONSchema.BaseSchema;
}

/** Adds the metadata of Zod's global registry, because the conversion reads only one registry. */
function addMetadata({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
}

/**
 * Removes rules that apply to the client and not the API, and points references to `#/components/schemas/`. Objects
 * without known fields say that they may have any, because generators take silence for an object that has none.
 */
function simplify(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplify);
  if (typeof schema !== "object" || schema === null) return schema;
  const isFree = !("properties" in schema);
  const kept = Object.entries(schema).filter(([name, value]) => !isClientOnly(name, value, isFree));
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (name === "additionalProperties" && isEmpty(value)) return [name, true];
      return name === "$ref"
        ? [name, String(value).replace("#/$defs/", "#/components/schemas/")]
        : [name, simplify(value)];
    }),
  );
}

function isEmpty(value: unknown): boolean {
  return Object.keys(value as object).length === 0;
}

/**
 * Tells if a schema rule applies to the client only: the bounds of JavaScript's integers, or the refusal of unknown
 * fields.
 */
function isClientOnly(name: string, value: unknown, isFree: boolean): boolean {
  if (name === "$schema" || name === "propertyNames") return true;
  if (name === "additionalProperties") return value === false || (isEmpty(value) && !isFree);
  return Math.abs(value as number) === Number.MAX_SAFE_INTEGER;
}

const invalidKey = "Missing or invalid API key.";

const analyticsErrors = {
  400: "Invalid date format, a day without data such as today (data has a 24-hour lag), or a `limit` out of range.",
  401: invalidKey,
  403: "Insufficient role: Manager or Owner is required.",
  500: "Internal error.",
};
const readinessErrors = { 400: "Invalid request parameters.", 401: invalidKey, 500: "Internal server error." };

/** Lists the error statuses that the API document names for an operation; none for `/api/v0`. */
export function listDocumentedErrors({ path }: Endpoint): Readonly<Record<string, string>> {
  if (path.startsWith("/api/v1/analytics/")) return analyticsErrors;
  return path.startsWith("/api/organization/") ? readinessErrors : {};
}

/** Names of the schemas that `beckon/service` exports, as in `CreditsRow` for `creditsRowSchema`. */
export const schemaNames = z.registry<{ readonly id: string }>();

for (const [name, schema] of Object.entries(service)) {
  const [, base = ""] = /^(\w+)Schema$/.exec(name) ?? [];
  if (!(schema instanceof z.ZodType)) continue;
  schemaNames.add(schema, { ...z.globalRegistry.get(schema), id: `${base[0]?.toUpperCase()}${base.slice(1)}` });
}
