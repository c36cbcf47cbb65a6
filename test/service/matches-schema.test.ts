import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { takesAsIs } from "../../src/service/matches-schema.ts";
import * as service from "../../src/service.ts";
import { keys } from "../helpers/service/access.ts";
import { type Sandbox, startSandbox } from "../helpers/service/server.ts";
import { noonMs, yesterday } from "../helpers/service/world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noonMs, sizes: { users: 30 } });
});
afterAll(() => sandbox.close());

const schemas = Object.entries(service).flatMap(([name, value]) =>
  value instanceof z.ZodType ? [[name, value] as const] : [],
);
const lists = service.endpoints.filter(({ method, path }) => method === "GET" && !path.includes("{"));

/** What the sandbox answers, by plain request. */
async function replyOf({ base, path, daily }: service.Endpoint): Promise<unknown> {
  const url = `${sandbox[base]}${path}${daily ? `?startDate=${yesterday}&endDate=${yesterday}` : ""}`;
  return (await fetch(url, { headers: { authorization: `Bearer ${keys.owner}` } })).json();
}

/** A value with one place in it replaced. */
function replaceAt(value: unknown, path: readonly number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== "object" || value === null) return by;
  const entries = Object.entries(value);
  const [key] = entries[first % Math.max(1, entries.length)] ?? [];
  if (key === undefined) return by;
  const replaced = entries.map(([name, inner]) => [name, name === key ? replaceAt(inner, rest, by) : inner]);
  return Array.isArray(value) ? replaced.map(([, inner]) => inner) : Object.fromEntries(replaced);
}

describe("takesAsIs", () => {
  it.each(lists.map((one) => [one.name, one] as const))("is sure of what the sandbox answers to %s", async (_, one) => {
    const reply = await replyOf(one);
    expect(takesAsIs(one.reply, reply)).toBe(true);
    expect(one.reply.parse(reply)).toEqual(reply);
  });

  it.each(lists.map((one) => [one.name, one] as const))(
    "is never sure of a reply to %s that the schema refuses or changes",
    async (_, { reply: schema, ...one }) => {
      const reply = await replyOf({ reply: schema, ...one });
      const path = fc.array(fc.nat({ max: 40 }), { maxLength: 5 });
      const values = fc.oneof(
        fc.constantFrom(undefined, null, Number.POSITIVE_INFINITY, 2 ** 60, 1.5),
        fc.jsonValue({ maxDepth: 1 }),
      );
      const check = (at: readonly number[], by: unknown): void => {
        const odd = replaceAt(reply, at, by);
        const parsed = schema.safeParse(odd);
        if (takesAsIs(schema, odd)) expect(parsed).toMatchObject({ success: true, data: odd });
        else expect(parsed.success).toBe(false);
      };
      fc.assert(fc.property(path, values, check), { numRuns: 300 });
    },
  );

  it.each(schemas)("agrees with %s about any value", (_, schema) => {
    const check = (value: unknown): void => {
      expect(takesAsIs(schema, value)).toBe(schema.safeParse(value).success);
    };
    fc.assert(fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())), check), {
      numRuns: 50,
    });
  });

  it.each([
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
  ])("leaves a schema with %s to decide", (_, schema, value) => {
    expect(takesAsIs(schema, value)).toBe(false);
    expect(schema.safeParse(value).success).toBe(true);
  });
});
