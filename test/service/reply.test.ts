import { describe, expect, test } from "vitest";
import * as z from "zod";
import { readReply } from "../../src/service/reply.ts";
import { controlChangeSchema } from "../../src/service/schemas/control-change.ts";
import { openObject } from "../../src/service/schemas/open.ts";
import { answer } from "../world/hostile-server.ts";
import { failureOf } from "../world/service/client.ts";
import {
  apiKey,
  expectNoSecret,
  hostileClient,
  jsonReply,
  lastPage,
  startHostileService,
  statusReply,
  textsOf,
} from "../world/service/hostile-service.ts";

const context = {
  url: "https://api.example.com/api/v0/users",
  method: "GET",
  path: "/api/v0/sessions",
  redact: (text: string) => text,
  roles: undefined,
  appUrl: undefined,
  nowMs: 0,
};
const read = (schema: z.ZodType, body: string): unknown =>
  readReply(schema, { status: 200, headers: {}, body }, context);

const change = (settings: string): string =>
  `{ "revision": 1, "settings": ${settings}, "user": { "id": "u", "email": "e", "name": "n" }, "updatedAt": "t" }`;
/** The fast path leaves a schema with a `catch` to zod. */
const bySlowPath = openObject({ settings: z.record(z.string(), z.unknown()), other: z.string().catch("") });

test.each([
  ["in settings", '{ "a": 1, "__proto__": { "polluted": true } }', { a: 1 }],
  ["deep in settings", '{ "a": [{ "b": { "__proto__": { "polluted": true } } }] }', { a: [{ b: {} }] }],
  ["with escapes", '{ "a": 1, "\\u005f\\u005F\\u0070roto_\\u005f": { "polluted": true } }', { a: 1 }],
  ["half escaped", '{ "a": 1, "_\\u005fpr\\u006fto__": { "polluted": true } }', { a: 1 }],
])("a field named `__proto__` %s is left out, with and without zod", (_, settings, expected) => {
  for (const schema of [controlChangeSchema, bySlowPath]) {
    const value = read(schema, change(settings)) as { readonly settings: object };
    expect(value.settings).toEqual(expected);
    expect(JSON.stringify(value)).not.toContain("polluted");
    expect(Object.getPrototypeOf(value.settings)).toBe(Object.prototype);
    expect(Object.assign({}, value.settings)).not.toHaveProperty("polluted");
  }
});

test("a text and a name that only resemble `__proto__` stay", () => {
  const settings = { text: '"__proto__": 1', proto: "__proto__", __proto: 1, " __proto__": 2 };
  expect(read(controlChangeSchema, change(JSON.stringify(settings)))).toMatchObject({ settings });
});

describe("a reply with undocumented content", () => {
  test("keeps unknown fields and unknown values of enumerations", async () => {
    const row = { sessionId: "s", status: "dreaming", brandNew: { deep: [1, null] } };
    const reply = { sessions: [row], pagination: { hasMore: false, total: 7 }, took: "3ms" };
    const server = await startHostileService(jsonReply(reply));
    const got = await hostileClient(server.origin).sessions.list().page();
    expect(got).toEqual({ ...reply, items: [row], next: undefined });
  });
});

test("an error does not show a field name that contains the key", async () => {
  const { date, ...counts } = {
    date: "d",
    daily_active_users: 1,
    weekly_active_users: 1,
    monthly_active_users: 1,
    sessions: 1,
    messages: 1,
    user_messages: 1,
  };
  const row = { date, ...counts, daily_active_users_by_client: { [apiKey]: "many" } };
  const server = await startHostileService(
    jsonReply({ data: [row], meta: { org_id: "o", start_date: "d", end_date: "d" } }),
  );
  const days = { startDate: "2026-06-14", endDate: "2026-06-14" };
  const thrown = await failureOf(hostileClient(server.origin).analytics.activity(days).page());
  expect(thrown).toMatchObject({ name: "ParseError", message: expect.stringContaining("[secret]") });
  expectNoSecret(thrown);
});

describe("an error does not show a key that comes back", () => {
  test.each([
    ["quoted as in JSON", 'key"7f\\3e9b21c8', (key: string) => JSON.stringify(key).slice(1, -1)],
    ["with its header, in base64", apiKey, (key: string) => Buffer.from(`Bearer ${key}`).toString("base64")],
    ["shorter than any key", "wrong", (key: string) => key],
  ])("%s", async (_, key, formOf) => {
    const form = formOf(key);
    const server = await startHostileService(
      statusReply(401, { title: form, detail: `you sent ${form}.`, requestId: form }),
    );
    const thrown = await failureOf(hostileClient(server.origin, { apiKey: key }).users.list().page());
    expect(thrown).toMatchObject({ name: "AuthenticationError", detail: expect.stringContaining("[secret]") });
    expect(textsOf(thrown)).not.toContain(form);
  });

  test("as a field name", async () => {
    const key = 'key"7f\\3e9b21c8';
    const report = { reportId: "r", createdAt: 1, repoUrl: "u", apps: { [key]: { description: 1 } }, report: {} };
    const server = await startHostileService(jsonReply({ reports: [report] }));
    const thrown = await failureOf(hostileClient(server.origin, { apiKey: key }).readiness.reports().page());
    expect(thrown).toMatchObject({ name: "ParseError" });
    expect(textsOf(thrown)).not.toContain("7f");
  });
});

test("a reply that begins with a byte order mark is read", async () => {
  const server = await startHostileService(
    answer(200, {}, `\ufeff${JSON.stringify({ users: [{ id: "u1" }], pagination: lastPage })}`),
  );
  expect((await hostileClient(server.origin).users.list().page()).items).toEqual([{ id: "u1" }]);
});

test.each([
  [{ detail: "limit is odd" }, "`detail` says what the service rejected."],
  [{}, "The service does not say what it rejected."],
])("the hint of a 400 with %j says where to look", async (body, hint) => {
  const server = await startHostileService(statusReply(400, body));
  expect(await failureOf(hostileClient(server.origin).users.list().page())).toMatchObject({ hint });
});
