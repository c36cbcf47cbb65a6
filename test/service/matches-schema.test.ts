import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { matchesSchema } from "../../src/service/matches-schema.ts";
import { anyObject, openObject } from "../../src/service/schemas/open.ts";
import * as service from "../../src/service.ts";
import { keys } from "../world/service/access.ts";
import { noonMs, yesterday } from "../world/service/client.ts";
import { type Sandbox, startSandbox } from "../world/service/server.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noonMs, sizes: { users: 30 } });
});
afterAll(() => sandbox.close());

const schemas = Object.entries(service).flatMap(([name, value]) =>
  value instanceof z.ZodType ? [[name, value] as const] : [],
);
const lists = service.endpoints
  .filter(({ method, path }) => method === "GET" && !path.includes("{"))
  .map((endpoint) => [endpoint.name, endpoint] as const);

/** The sandbox's reply, read without the client. */
async function replyOf({ base, path, daily }: service.Endpoint): Promise<unknown> {
  const url = `${sandbox[base]}${path}${daily ? `?startDate=${yesterday}&endDate=${yesterday}` : ""}`;
  return (await fetch(url, { headers: { authorization: `Bearer ${keys.owner}` } })).json();
}

/** A copy of a value with something else at one position. */
function replaceAt(value: unknown, path: readonly number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== "object" || value === null) return by;
  const entries = Object.entries(value);
  const [key] = entries[first % Math.max(1, entries.length)] ?? [];
  if (key === undefined) return by;
  const replaced = entries.map(([name, inner]) => [name, name === key ? replaceAt(inner, rest, by) : inner]);
  return Array.isArray(value) ? replaced.map(([, inner]) => inner) : Object.fromEntries(replaced);
}

const hasProtoField = (value: unknown): boolean => JSON.stringify(value)?.includes('"__proto__":') === true;

/** True means zod would return the very value; false means zod refuses it, or leaves out a `__proto__`. */
function expectAgreement(schema: z.ZodType, value: unknown): void {
  const parsed = schema.safeParse(value);
  if (matchesSchema(schema, value)) expect(parsed).toMatchObject({ success: true, data: value });
  else expect(parsed.success && !hasProtoField(value)).toBe(false);
}

describe("matchesSchema", () => {
  test.each(lists)("accepts the sandbox's reply to %s", async (_, { reply: schema, ...endpoint }) => {
    const reply = await replyOf({ reply: schema, ...endpoint });
    expect(matchesSchema(schema, reply)).toBe(true);
    expect(schema.parse(reply)).toEqual(reply);
  });

  test.each(lists)("agrees with zod about a damaged reply to %s", async (_, { reply: schema, ...endpoint }) => {
    const reply = await replyOf({ reply: schema, ...endpoint });
    const path = fc.array(fc.nat({ max: 40 }), { maxLength: 5 });
    const values = fc.oneof(
      fc.constantFrom(undefined, null, Number.POSITIVE_INFINITY, 2 ** 60, 1.5, JSON.parse('{ "__proto__": 1 }')),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const check = (at: readonly number[], by: unknown): void => expectAgreement(schema, replaceAt(reply, at, by));
    fc.assert(fc.property(path, values, check), { numRuns: 300 });
  });

  test.each(schemas)("agrees with zod about any value for %s", (_, schema) => {
    const values = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(values, (value) => expectAgreement(schema, value)),
      { numRuns: 50 },
    );
  });

  test.each([
    ["an object", openObject({ name: z.string() }), '{ "name": "a", "__proto__": { "admin": true } }'],
    ["an object without known fields", openObject({}), '{ "__proto__": 1 }'],
    ["a record", anyObject, '{ "__proto__": { "admin": true } }'],
    ["an object in a list", z.array(openObject({})), '[{}, { "__proto__": 1 }]'],
  ])("leaves %s with a field named `__proto__` to zod, which leaves the field out", (_, schema, json) => {
    const value = JSON.parse(json);
    expect(matchesSchema(schema, value)).toBe(false);
    expect(hasProtoField(value)).toBe(true);
    expect(hasProtoField(schema.parse(value))).toBe(false);
  });

  test.each([
    [{ a: "", b: 1 }, true],
    [{ b: 1, a: "" }, true],
    [{ more: 1, c: "", b: 1, even: 2, a: "" }, true],
    [{ c: "", b: "1", a: "" }, false],
    [{ b: 1, a: 1 }, false],
    [{ b: 1, c: "" }, false],
    [{ more: 1 }, false],
  ])("checks the fields of %j in any order, and those that are absent", (value, matches) => {
    const schema = openObject({ a: z.string(), b: z.number(), c: z.string().optional() });
    expect(matchesSchema(schema, value)).toBe(matches);
    expectAgreement(schema, value);
  });

  test.each([
    ["a check of its own", z.string().min(0), ""],
    ["a format", z.email(), "a@example.com"],
    ["a number format it does not know", z.int32(), 1],
    ["a change of the value", z.string().transform((text) => text), ""],
    ["a default", z.string().default(""), ""],
    ["a catch", z.string().catch(""), ""],
    ["an object that drops unknown fields", z.object({ a: z.string() }), { a: "" }],
    ["an object that refuses unknown fields", z.strictObject({ a: z.string() }), { a: "" }],
    ["a refined object", z.looseObject({}).refine(() => true), {}],
    ["a record with checked keys", z.record(z.string().min(1), z.string()), {}],
    ["a record with listed keys", z.record(z.enum(["a"]), z.string()), { a: "" }],
  ])("leaves a schema with %s to zod", (_, schema, value) => {
    expect(matchesSchema(schema, value)).toBe(false);
    expect(schema.safeParse(value).success).toBe(true);
  });
});
