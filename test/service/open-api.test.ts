import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldDescriptions } from "../../scripts/docs/field-descriptions.ts";
import { at } from "../../src/core/json-value.ts";
import type { CreditsRow, Message, ToolUsageRow } from "../../src/service.ts";
import { type FakeService, fakeService } from "../../src/service-testing.ts";
import { repository } from "../world/home.ts";
import { noonMs, yesterday } from "../world/service/client.ts";
import { documentedEndpoints } from "../world/service/document.ts";

/** The OpenAPI document: requests built from it alone, answered by the fake. */

type Json = Readonly<Record<string, unknown>>;
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}
type BodySchema = Json & { readonly properties: Readonly<Record<string, Json>> };
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: BodySchema } } };
  readonly responses: Readonly<Record<string, { readonly content?: Json; readonly description: string }>>;
  readonly security?: readonly Json[];
}

const document = JSON.parse(readFileSync(join(repository, "docs", "openapi.json"), "utf8"));
const operations = Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
  ["get", "post", "patch"]
    .filter((method) => method in item)
    .map((method) => ({ path, method: method.toUpperCase(), operation: item[method] as Operation })),
);
type Described = (typeof operations)[number];
const named = operations.map((described) => [described.operation.operationId, described] as const);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, "openapi.json");

/** Finds faults in a reply, by the schema that the document has for its status. */
function findFaults({ path, method, operation }: Described, status: number, body: unknown): unknown[] {
  const key = String(status) in operation.responses ? String(status) : "default";
  if (operation.responses[key]?.content === undefined) return key === "default" ? [] : [`${status} without a schema`];
  const place = ["paths", path, method.toLowerCase(), "responses", key, "content", "application/json", "schema"];
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  const validate = ajv.getSchema(`openapi.json#/${pointer}`);
  return validate?.(body) ? [] : (validate?.errors ?? ["no schema"]);
}

type Sent = { body?: unknown; key?: string };
let service: FakeService;
/** Ids of things that exist, by parameter. */
const ids: Record<string, string> = { computerId: "computer_2" };
beforeAll(async () => {
  service = await fakeService({ users: 30, days: 3, now: () => noonMs });
  const read = async (path: string) => (await send("GET", path)).body as Record<string, Json[]>;
  ids["sessionId"] = String((await read("/api/v0/sessions"))["sessions"]?.[0]?.["sessionId"]);
  const { messages } = await read(`/api/v0/sessions/${ids["sessionId"]}/messages`);
  ids["messageId"] = String(messages?.[0]?.["id"]);
});
afterAll(() => service.close());

async function send(method: string, path: string, { body, key = service.apiKey }: Sent = {}) {
  const reply = await service.fetch(`${service.url}${path}`, {
    method,
    headers: { ...(key !== "" && { authorization: `Bearer ${key}` }), "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: await reply.json() };
}

/** Makes a value that a schema allows. */
function example(schema: Json): unknown {
  const { type, format, enum: values, const: only, minimum, minLength = 1, items, properties = {} } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0];
  if (format === "date") return yesterday;
  if (format === "uuid") return "0b6f4a5c-9a3e-4b7f-8a41-3f5f0f7b9f10";
  if (type === "integer" || type === "number") return minimum ?? 1;
  if (type === "array") return [example(items as Json)];
  if (type !== "object") return "x".repeat(Number(minLength));
  return Object.fromEntries(
    Object.entries(properties as Record<string, Json>).map(([name, part]) => [name, example(part)]),
  );
}

const listQueries = ({ parameters }: Operation) => parameters.filter(({ in: place }) => place === "query");
const listFields = ({ requestBody }: Operation) =>
  Object.entries(requestBody?.content["application/json"].schema.properties ?? {});
type Values = Readonly<Record<string, string>>;

/** Builds the path of a request with its parameters: all that are required, and those in `optional`. */
function fillPath({ path, operation }: Described, optional: readonly string[] = [], values: Values = {}) {
  const filled = path.replace(/\{(\w+)\}/g, (_, id: string) => encodeURIComponent(ids[id] ?? ""));
  const given = listQueries(operation).filter(({ name, required }) => required || optional.includes(name));
  const query = given.map(({ name, schema }) => [name, values[name] ?? String(example(schema))] as [string, string]);
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`;
}

/** Builds a body with every field that the document has, if the operation takes a body. */
function fillBody({ operation }: Described): unknown {
  const content = operation.requestBody?.content["application/json"];
  const body = content && (example(content.schema) as Record<string, unknown>);
  return body && "computerId" in body ? { ...body, computerId: ids["computerId"] } : body;
}

const optionalQueries = named.flatMap(([id, described]) =>
  listQueries(described.operation)
    .filter(({ required, name }) => !required && !["cursor", "startAfter"].includes(name))
    .map(({ name }) => [id, name, described] as const),
);

describe("docs/openapi.json", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(document);
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    const broken = { ...document, paths: { "/a": { get: { responses: [] } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  test("has the documented operations with their parameters, fields and statuses", () => {
    const described = operations.map(({ path, method, operation }) => {
      const query = listQueries(operation);
      return {
        operation: `${method} ${path}`,
        query: query.map(({ name }) => name).sort(),
        required: [...query.filter((parameter) => parameter.required).map(({ name }) => name)].sort(),
        body: listFields(operation)
          .map(([name]) => name)
          .sort(),
        success: Object.keys(operation.responses).filter((status) => status.startsWith("2")),
      };
    });
    const documented = documentedEndpoints.map(({ method, path, query, required, body, status }) => ({
      operation: `${method} ${path}`,
      query: [...query].sort(),
      required: required.filter((name) => query.includes(name)).sort(),
      body: [...body].sort(),
      success: [String(status)],
    }));
    const sort = (list: readonly { readonly operation: string }[]) =>
      list.toSorted((a, b) => (a.operation < b.operation ? -1 : 1));
    expect(sort(described)).toEqual(sort(documented));
  });

  test("describes every parameter, every field of a body and every status", () => {
    const missing = operations.flatMap(({ operation }) => {
      const fields = listFields(operation).map(([name, field]) => ({ name, ...field }));
      const described = [...operation.parameters, ...fields, ...Object.values(operation.responses)] as Json[];
      return described.filter(({ description }) => typeof description !== "string" || description === "");
    });
    expect(missing).toEqual([]);
  });

  test("describes every field of analytics, and uses every description", () => {
    const schemas = document.components.schemas as Record<string, { properties?: Record<string, Json> }>;
    const fields = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([field, { description }]) => ({ name, field, description })),
    );
    const ofAnalytics = fields.filter(({ name }) => /Row$|Meta$|^Pagination$|Credits$/.test(name));
    expect(ofAnalytics.length).toBeGreaterThan(60);
    expect(ofAnalytics.filter(({ description }) => typeof description !== "string")).toEqual([]);
    const used = new Set(fields.map(({ description }) => description));
    expect(Object.values(fieldDescriptions).filter((description) => !used.has(description))).toEqual([]);
  });

  test("lets free objects have any field, and says which settings are known", () => {
    const silent: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { type, properties, additionalProperties } = node as Json;
      if (type === "object" && properties === undefined && additionalProperties === undefined) silent.push(path);
      for (const [name, inner] of Object.entries(node)) walk(inner, `${path}/${name}`);
    };
    walk(document, "");
    expect(silent).toEqual([]);
    const { ControlChange, ControlSettings, OrganizationUser, CriterionEvaluation, Computer } =
      document.components.schemas;
    expect(ControlChange.properties.settings.$ref).toBe("#/components/schemas/ControlSettings");
    expect(ControlSettings.additionalProperties).toBe(true);
    expect(OrganizationUser.properties.email).toMatchObject({ format: "email" });
    expect(OrganizationUser.properties.metadata).toMatchObject({ additionalProperties: true });
    expect(CriterionEvaluation.properties).toMatchObject({ numerator: { minimum: 0 }, denominator: { minimum: 1 } });
    expect(Computer.properties).toMatchObject({ hostId: { format: "uuid" }, relayAgentUrl: { format: "uri" } });
    const texts = operations.flatMap(({ operation }) => operation.parameters.map(({ description }) => description));
    expect(texts.filter((text) => /^(Print|Fetch|Show|Only print)/.test(text ?? ""))).toEqual([]);
  });

  test("lets a JWT be used for /api/v0 only", () => {
    const takesJwt = ({ operation }: Described) => operation.security?.some((scheme) => "jwt" in scheme) ?? false;
    for (const described of operations)
      expect(takesJwt(described), described.path).toBe(described.path.startsWith("/api/v0/"));
    expect(document.security).toEqual([{ apiKey: [] }]);
  });
});

describe("the fake answers as docs/openapi.json says", () => {
  test.each(named)("to %s", async (_, described) => {
    const { status, body } = await send(described.method, fillPath(described), { body: fillBody(described) });
    expect(Object.keys(described.operation.responses)).toContain(String(status));
    expect(status).toBeLessThan(300);
    expect(findFaults(described, status, body)).toEqual([]);
  });

  test.each(optionalQueries)("to %s with %s", async (_, name, described) => {
    const { status, body } = await send(described.method, fillPath(described, [name]));
    expect([status, findFaults(described, status, body)]).toEqual([200, []]);
  });

  const linked = named.filter(([, { operation }]) => JSON.stringify(operation.responses).includes('"links"'));
  test.each(linked)("to %s at the cursor that its link names", async (_, described) => {
    const first = (await send("GET", fillPath(described, ["limit"]))).body;
    const { links } = described.operation.responses["200"] as unknown as {
      links: { next: { parameters: { cursor: string } } };
    };
    const pointer = links.next.parameters.cursor.replace("$response.body#/", "").split("/");
    const cursor = String(at(first, ...pointer));
    const next = await send("GET", fillPath(described, ["limit", "cursor"], { cursor }));
    expect([next.status, findFaults(described, next.status, next.body)]).toEqual([200, []]);
    expect(next.body).not.toEqual(first);
  });

  const failing = named.flatMap(([id, described]) =>
    Object.keys(described.operation.responses)
      .filter((status) => Number(status) >= 400)
      .map((status) => [id, Number(status), described] as const),
  );
  test.each(failing)("to a failing %s with %i", async (_, expected, described) => {
    const today = { startDate: "2026-06-15", endDate: "2026-06-15", limit: "0" };
    const { keys } = service;
    const key = { 401: "wrong", 403: keys.member, 500: keys.broken }[expected] ?? keys.owner;
    const path = fillPath(described, expected === 400 ? ["limit"] : [], expected === 400 ? today : {});
    const { status, body } = await send(described.method, path, { key, body: fillBody(described) });
    expect(status).toBe(expected);
    if (described.path.startsWith("/api/v1/analytics/")) expect(findFaults(described, status, body)).toEqual([]);
  });

  test("and this test finds a reply that differs", async () => {
    for (const described of operations) {
      const { status, body } = await send(described.method, fillPath(described), { body: fillBody(described) });
      for (const field of Object.keys(body as object)) {
        if (!["id", "sessionId", "data", "meta", "pagination", "users", "messages", "sessions"].includes(field))
          continue;
        const { [field]: _, ...rest } = body as Record<string, unknown>;
        expect(findFaults(described, status, rest)).not.toEqual([]);
      }
      expect(findFaults(described, status, [])).not.toEqual([]);
    }
  });
});

describe("the fake", () => {
  test.each(named)("accepts no request without a key, nor a JWT except for /api/v0: %s", async (_, described) => {
    const statusFor = async (key: string) =>
      (await send(described.method, fillPath(described), { key, body: fillBody(described) })).status;
    const [success] = Object.keys(described.operation.responses).filter((status) => status.startsWith("2"));
    const expected = described.path.startsWith("/api/v0/") ? Number(success) : 401;
    expect([await statusFor(""), await statusFor(service.jwt)]).toEqual([401, expected]);
  });

  test.each([
    "v1/analytics/tokens?startDate=2026-06-14&endDate=2026-06-14&group_by=user",
    "v1/analytics/tokens?startDate=2026-06-14&endDate=2026-06-14&groupBy=model",
    "v1/analytics/users?startDate=2026-02-30&endDate=2026-06-14",
    "v1/analytics/activity?startDate=2026-06-14&endDate=2026-06-15",
    ...["limit=0", "limit=101", "limit=x", "limit=", "computerId=computer_1"].map(
      (query) => `v0/organization/users?${query}`,
    ),
  ])("answers 400 to /api/%s", async (path) => {
    expect((await send("GET", `/api/${path}`)).status).toBe(400);
  });

  test.each([{ name: "" }, { hostId: "host" }, { status: "active" }, ["name"]])(
    "answers 400 to a computer changed to %j",
    async (body) => expect((await send("PATCH", "/api/v0/computers/computer_2", { body })).status).toBe(400),
  );

  test("filters messages by the documented roles", async () => {
    const path = `/api/v0/sessions/${ids["sessionId"]}/messages`;
    const rolesFor = async (role: string) => {
      const { messages } = (await send("GET", `${path}?role=${role}&limit=100`)).body as { messages: Message[] };
      return [...new Set(messages.map((message) => message.role))];
    };
    const roles = ["user", "assistant", "tool"];
    expect(await Promise.all(roles.map(rolesFor))).toEqual(roles.map((role) => [role]));
    expect((await send("GET", `${path}?role=system`)).status).toBe(400);
  });

  test("sends parts that add up to their totals", async () => {
    const days = `startDate=${yesterday}&endDate=${yesterday}`;
    const read = async (kind: string) =>
      ((await send("GET", `/api/v1/analytics/${kind}?${days}`)).body as { readonly data: readonly unknown[] }).data[0];
    const [tokens, tools] = [(await read("tokens")) as CreditsRow, (await read("tools")) as ToolUsageRow];
    for (const parts of [tokens.by_user, tokens.by_model])
      expect(parts.reduce((sum, { billable_tokens }) => sum + billable_tokens, 0)).toBe(tokens.billable_tokens);
    expect(tools.by_tool.reduce((sum, { invocations }) => sum + invocations, 0)).toBe(tools.tool_calls);
  });

  const head = "HTTP/1.1\r\nhost: x\r\n";
  test.each([
    ["a target other than a path", `GET // ${head}\r\n`, "404"],
    ["a path that cannot be decoded", `GET /api/v0/sessions/%zz/messages ${head}`, "400"],
    ["a body that breaks off", `POST /api/v0/sessions ${head}content-length: 99\r\n\r\n{`, ""],
  ])("survives %s", async (_, request, status) => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.write(status === "400" ? `${request}authorization: Bearer ${service.apiKey}\r\n\r\n` : request);
    if (status !== "") expect(String((await once(socket, "data"))[0])).toContain(`HTTP/1.1 ${status}`);
    else await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    const headers = { authorization: `Bearer ${service.apiKey}` };
    expect((await fetch(`${service.url}/api/v0/organization/users`, { headers })).status).toBe(200);
  });

  test("accepts a JSON body whose content type names a charset", async () => {
    const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json; charset=utf-8" };
    const body = JSON.stringify({ computerId: "computer_1" });
    expect((await fetch(`${service.url}/api/v0/sessions`, { method: "POST", headers, body })).status).toBe(201);
  });
});
