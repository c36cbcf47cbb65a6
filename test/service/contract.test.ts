import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { jwt, keys } from "../../src/fake-service/access.ts";
import { longestSession, makeSession } from "../../src/fake-service/sessions.ts";
import type { List, ServiceClient } from "../../src/service.ts";
import * as service from "../../src/service.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { catchFailure, lastDay, makeClient, noonMs, useSandbox } from "../world/service/client.ts";
import { type Ask, asks, count } from "./asks.ts";
import { documentRows, rowsSeen } from "./coverage.ts";
import { documentedFields, type Fields, type FieldType } from "./document-fields.ts";

/** The client against the API document: for every row of the document, a request to the sandbox. */

const session = makeSession(longestSession).sessionId;

const sandbox = useSandbox();

/** Rows of the document that requests have exercised. */
const covered = new Set<string>();

/** Makes a call. Returns its result, and the rows of the document that its requests exercised. */
async function exercise<T>(ask: () => Promise<T>): Promise<{ result: T; rows: string[] }> {
  const before = sandbox.seen.length;
  const result = await ask();
  const rows = sandbox.seen.slice(before).flatMap(rowsSeen);
  for (const row of rows) covered.add(row);
  return { result, rows };
}

describe("the client receives", () => {
  test.each(asks)("from …%s: %s", async (endpoint, _, ask, gives) => {
    const { result, rows } = await exercise(() => ask(makeClient(sandbox)));
    if (typeof gives === "number") expect(result).toBe(gives);
    else expect(result).toMatchObject(gives as object);
    expect(rows).toContainEqual(expect.stringMatching(new RegExp(`${endpoint} -> 20[012]$`)));
  });

  test.each([
    ["users' numbers", ({ analytics }: ServiceClient) => analytics.users(lastDay)],
    ["changes", ({ enterpriseControls }: ServiceClient) => enterpriseControls.history()],
    ["sessions", ({ sessions }: ServiceClient) => sessions.list()],
    ["messages", ({ sessions }: ServiceClient) => sessions.messages(session)],
    ["users", ({ users }: ServiceClient) => users.list()],
  ])("a page of 20 %s without a limit", async (_, list) => {
    const { result } = await exercise(() => count(list(makeClient(sandbox)) as List<unknown>));
    expect([result, sandbox.seen.at(-1)?.url.searchParams.has("limit")]).toEqual([20, false]);
  });

  test("everything in /api/v0 with a JWT too", async () => {
    const client = makeClient(sandbox, { jwt });
    const v0 = asks.filter(([endpoint]) => !/analytics|maturity/.test(endpoint));
    for (const [, , ask] of v0) await exercise(() => ask(client));
    expect(v0.length).toBeGreaterThan(20);
    expect(sandbox.seen.at(-1)).toMatchObject({ authorization: `Bearer ${jwt}`, status: 200 });
  });
});

type AskDays = (client: ServiceClient, days?: typeof lastDay) => Promise<unknown>;
const analytics: readonly (readonly [string, AskDays])[] = [
  ["tokens", ({ analytics: a }, days = lastDay) => a.tokens(days).page()],
  ["tools", ({ analytics: a }, days = lastDay) => a.tools(days).page()],
  ["activity", ({ analytics: a }, days = lastDay) => a.activity(days).page()],
  ["productivity", ({ analytics: a }, days = lastDay) => a.productivity(days).page()],
  ["users", ({ analytics: a }, days = lastDay) => a.users(days).page()],
];
const reports: Ask = ({ readiness }) => readiness.reports().page();
const v0: readonly (readonly [string, Ask])[] = [
  ["history", ({ enterpriseControls: c }) => c.history().page()],
  ["sessions", ({ sessions: s }) => s.list().page()],
  ["a new session", ({ sessions: s }) => s.create({ computerId: "computer_1" })],
  ["messages", ({ sessions: s }) => s.messages(session).page()],
  ["a message", ({ sessions: s }) => s.message(session, "m1")],
  ["a changed computer", ({ computers: c }) => c.update("computer_1", { name: "n" })],
  ["install-deps", ({ computers: c }) => c.installDeps("computer_1")],
  ["users", ({ users: u }) => u.list().page()],
];
const lastDays = analytics.map(([name, ask]) => [name, (client: ServiceClient) => ask(client)] as const);
const everything: readonly (readonly [string, Ask])[] = [...lastDays, ["reports", reports], ...v0];

/** Id of a request, which errors repeat. */
const requestId = expect.stringMatching(/^req_\d+$/);
const words = { title: expect.any(String), detail: expect.any(String), requestId };
const keysPage = () => `${sandbox.appUrl}/settings/api-keys`;

describe("the client throws", () => {
  const failure = async (ask: Ask, options: Parameters<typeof makeClient>[1] = {}) =>
    (await exercise(() => catchFailure(ask(makeClient(sandbox, options))))).result;

  test.each(everything)("AuthenticationError for 401 of %s, with the keys page", async (_, ask) => {
    const error = await failure(ask, { apiKey: "wrong-key-1234" });
    expect(error).toMatchObject({ ...words, name: "AuthenticationError", reason: "auth", status: 401 });
    expect(error).toMatchObject({ title: "Unauthorized", hint: expect.stringContaining(keysPage()) });
  });

  test.each(analytics)("PermissionError for 403 of %s, with the roles and the keys page", async (_, ask) => {
    for (const apiKey of [keys.member, keys.guest]) {
      const error = await failure((client) => ask(client), { apiKey });
      expect(error).toMatchObject({ ...words, name: "PermissionError", reason: "auth", status: 403 });
      expect(error).toMatchObject({ title: "Forbidden", hint: expect.stringContaining("Manager or Owner") });
      expect(error).toMatchObject({ hint: expect.stringContaining(keysPage()) });
    }
  });

  test.each(analytics)("BadRequestError for 400 of %s, with the service's reason", async (_, ask) => {
    // With a clock one day ahead, the client takes the service's today for yesterday, and sends the request.
    const now = () => noonMs + 86_400_000;
    const today = { startDate: "2026-06-15", endDate: "2026-06-15" };
    const error = await failure((client) => ask(client, today), { now });
    expect(error).toMatchObject({ ...words, name: "BadRequestError", reason: "rejected", status: 400 });
    expect(error).toMatchObject({ detail: expect.stringContaining("24-hour lag"), hint: expect.any(String) });
  });

  test("BadRequestError for 400 of reports", async () => {
    const afterNone: Ask = ({ readiness }) => readiness.reports({ startAfter: "none" }).page();
    const error = await failure(afterNone);
    expect(error).toMatchObject({ ...words, name: "BadRequestError", status: 400, title: "Bad Request" });
  });

  test.each(everything)("ServerError for 500 of %s", async (_, ask) => {
    const before = sandbox.seen.length;
    const error = await failure(ask, { apiKey: keys.broken });
    expect(error).toMatchObject({ ...words, name: "ServerError", reason: "unavailable", status: 500 });
    expect(error).toMatchObject({ hint: expect.stringContaining("requestId") });
    // A GET is sent three times, any other request once.
    const isRead = sandbox.seen[before]?.method === "GET";
    expect(sandbox.seen.length - before).toBe(isRead ? 3 : 1);
  });

  test.each([
    ["session", ({ sessions: s }: ServiceClient) => s.messages("none").page()],
    ["message", ({ sessions: s }: ServiceClient) => s.message(session, "none")],
    ["computer to change", ({ computers: c }: ServiceClient) => c.update("none", { name: "n" })],
    ["computer to install on", ({ computers: c }: ServiceClient) => c.installDeps("none")],
    ["computer for a session", ({ sessions: s }: ServiceClient) => s.create({ computerId: "none" })],
  ])("NotFoundError for 404 of a missing %s", async (_, ask) => {
    const error = await failure(ask);
    expect(error).toMatchObject({ ...words, name: "NotFoundError", reason: "rejected", status: 404 });
  });
});

test("the API document has only rows that a request of these tests exercises", () => {
  expect(documentRows.length).toBeGreaterThan(100);
  expect(documentRows.filter((row) => !covered.has(row))).toEqual([]);
});

const exported = service as unknown as Readonly<Record<string, unknown>>;
const findSchema = (name: string) => exported[`${name}Schema`] as z.ZodObject;
const baseType = (type: FieldType) => type.replace(/\?$/, "").replace(/ or null$/, "");

type JsonObject = Readonly<Record<string, unknown>>;
/** A value of each type. A field must reject the values of all other types. */
const values: JsonObject = { string: "text", number: 1.5, integer: 3, boolean: true, object: {}, array: [] };

function wrongValues(type: FieldType): unknown[] {
  const own = baseType(type);
  const right = own === "number" ? [own, "integer"] : [own];
  const others = Object.entries(values).filter(([other]) => !right.includes(other));
  return [...others.map(([, value]) => value), ...(type.includes("null") ? [] : [null])];
}

/** Valid values of fields whose inner fields are missing in the document's table. */
const innerValues: JsonObject = {
  tool_autonomy_level_ratio: { auto_high: 0, auto_medium: 0, auto_low: 0, manual: 1 },
  modelUsed: { id: "m", reasoningEffort: "low" },
  user: { id: "u", email: "e", name: "n" },
};
const validValue = (field: string, type: FieldType): unknown => innerValues[field] ?? values[baseType(type)];

/** Makes the smallest value that a schema accepts. */
function smallest(name: string): Record<string, unknown> {
  const fields = Object.entries(documentedFields[name] ?? {});
  const required = fields.filter(([, type]) => !type.endsWith("?"));
  return Object.fromEntries(required.map(([field, type]) => [field, validValue(field, type)]));
}

/**
 * Finds the values that a schema should accept for a field but rejects, and those that it should reject but accepts.
 */
function findMistakes(name: string, field: string, type: FieldType): unknown[] {
  const others = { ...smallest(name) };
  delete others[field];
  const cases: readonly (readonly [value: object, isValid: boolean])[] = [
    [{}, type.endsWith("?")],
    [{ [field]: validValue(field, type) }, true],
    [{ [field]: null }, type.includes("null")],
    ...wrongValues(type).map((wrong) => [{ [field]: wrong }, false] as const),
  ];
  return cases.filter(([value, isValid]) => {
    const { success, error } = findSchema(name).safeParse({ ...others, ...value });
    return success !== isValid || (!success && error.issues[0]?.path[0] !== field);
  });
}

test("each schema keeps undocumented fields, and accepts only the documented types", async () => {
  const check = ([name, fields]: readonly [string, Fields]) => {
    expect(Object.keys(findSchema(name).shape).sort()).toEqual(Object.keys(fields).sort());
    const reply = smallest(name);
    expect(findSchema(name).parse(reply)).toEqual(reply);
    const value = { ...reply, brandNew: { deep: [1, null] } };
    expect(findSchema(name).parse(value)).toEqual(value);
    expect(Object.entries(fields).flatMap(([field, type]) => findMistakes(name, field, type))).toEqual([]);
  };
  expect(await collectFailures(Object.entries(documentedFields), check)).toEqual([]);
});

test("each enumeration lists the documented values, and accepts any text but no other type", async () => {
  const sources =
    "web desktop cli_tui cli_exec cli_acp chat_app issue_tracker sessions_api api automation " +
    "readiness-remediation readiness-evaluation wiki-generation wiki-ci-setup";
  const rows: readonly [name: string, listed: readonly string[], documented: string][] = [
    ["clientType", service.clientTypes, "terminal-ui web non-interactive-cli"],
    ["delegationLevel", service.delegationLevels, "auto-high auto-medium auto-low spec manual"],
    ["modelTier", service.modelTiers, "standard thinking"],
    ["reasoningEffort", service.reasoningEfforts, "low medium high off"],
    ["sessionStatus", service.sessionStatuses, "idle pending running"],
    ["messageRole", service.messageRoles, "user assistant tool system"],
    ["userMessageSource", service.userMessageSources, sources],
    ["messageVisibility", service.messageVisibilities, "both llm_only user_only"],
    ["vendorXPhase", service.vendorXPhases, "commentary final_answer"],
    ["reasoningField", service.reasoningFields, "reasoning reasoning_content"],
    ["providerType", service.providerTypes, "byom hosted"],
    ["computerStatus", service.computerStatuses, "provisioning active error"],
  ];
  const check = ([name, listed, documented]: (typeof rows)[number]) => {
    expect(listed).toEqual(documented.split(" "));
    const schema = findSchema(name);
    for (const value of [...listed, "a value of next year"]) expect(schema.parse(value)).toBe(value);
    for (const value of [7, null, {}, undefined]) expect(schema.safeParse(value).success).toBe(false);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

/** Documented fields of nested objects: schema, path, type, names. `texts` is `string[]`. */
const deeper: readonly (readonly [schema: string, way: string, type: string, fields: string])[] = [
  ["controlSettings", "sessionDefaultSettings", "string", "model specModeModel"],
  ["controlSettings", "modelPolicy", "texts", "allowedModelIds blockedModelIds allowedBaseUrls"],
  ["controlSettings", "modelPolicy", "boolean", "allowCustomModels allowAllFactoryModels isFastModelsAllowed"],
  ["controlSettings", "mcpPolicy", "boolean", "enabled"],
  ["controlSettings", "mcpPolicy", "texts", "allowlist"],
  ["controlSettings", "missionPolicy", "boolean", "restrictedAccess"],
  ["controlSettings", "missionPolicy", "texts", "allowedUserIds"],
  ["controlSettings", "networkPolicy", "texts", "allowedIps"],
  ["controlSettings", "sandbox", "boolean", "enabled"],
  ["controlSettings", "sandbox filesystem", "texts", "allowWrite allowRead denyWrite denyRead"],
  ["controlSettings", "sandbox network", "texts", "allowedDomains allowUnixSockets"],
  ["controlSettings", "sandbox network", "boolean", "allowAllUnixSockets allowLocalBinding"],
  ["controlSettings", "sandbox network", "integer", "httpProxyPort socksProxyPort"],
  ["controlSettings", "", "texts", "commandAllowlist commandDenylist"],
  ["controlSettings", "", "texts", "managedComputersAllowedEmails byomComputersAllowedEmails"],
  ["customModel", "cloudGateway", "string", "cloudProfile cloudRegion cloudGatewayBaseUrl"],
  ["customModel", "cloudGateway", "string", "cloudAuthRefresh cloudCredentialExport"],
  ["sessionSettings", "", "texts", "enabledToolIds disabledToolIds"],
];

test("each deeper field accepts its documented type and no other", () => {
  const mistakes = deeper.flatMap(([name, way, type, fields]) => {
    const valid: JsonObject = { ...values, texts: ["a", "b"] };
    // An empty array would also be an array of texts.
    const invalid = Object.entries({ ...values, array: [1], null: null }).filter(([other]) => other !== type);
    return fields.split(" ").flatMap((field) => {
      const nest = (value: unknown) =>
        way.split(" ").reduceRight((inner, part) => (part === "" ? inner : { [part]: inner }), { [field]: value });
      const accepts = (value: unknown): boolean => findSchema(name).safeParse(nest(value)).success;
      const wrong = invalid.filter(([, value]) => accepts(value));
      const accepted = wrong.map(([kind]) => `${name} accepts ${kind} as ${field}`);
      return accepts(valid[type]) ? accepted : [...accepted, `${name} rejects ${type} as ${field}`];
    });
  });
  expect(mistakes).toEqual([]);
});

test("a list of objects rejects an item with a wrong or missing field", () => {
  const { controlSettingsSchema: settings, sessionSettingsSchema: session } = service;
  for (const repo of [1, undefined]) {
    expect(settings.safeParse({ strictKnownMarketplaces: [{ repo }] }).success).toBe(false);
    expect(session.safeParse({ tags: [{ name: repo }] }).success).toBe(false);
  }
  expect(settings.safeParse({ strictKnownMarketplaces: [{ repo: "r" }], customModels: [{}] }).success).toBe(true);
  expect(settings.safeParse({ customModels: [{ model: 1 }] }).success).toBe(false);
});

describe("knownSettings", () => {
  test("returns known settings, and leaves out those of an undocumented type", () => {
    const known = { cloudSessionSync: true, modelPolicy: { allowAllFactoryModels: true, brandNew: 1 } };
    const settings = { ...known, sessionRetentionDays: "thirty", wikiSyncToCloud: true };
    expect(service.knownSettings(settings)).toEqual(known);
  });

  test("accepts any object, and returns the known part", () => {
    const name = fc.oneof(fc.constantFrom(...Object.keys(service.controlSettingsSchema.shape)), fc.string());
    const check = (settings: Record<string, unknown>): void => {
      for (const [key, value] of Object.entries(service.knownSettings(settings))) expect(value).toEqual(settings[key]);
    };
    fc.assert(fc.property(fc.dictionary(name, fc.jsonValue()), check), { numRuns: 300 });
  });
});
