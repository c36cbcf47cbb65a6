import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { isSecret } from "../../src/core/secret.ts";
import { jwt } from "../../src/fake-service/access.ts";
import { longestSession, makeSession } from "../../src/fake-service/sessions.ts";
import { isServiceId, servicePath, serviceUrl as urlOf } from "../../src/service/address.ts";
import { serviceSettingsSchema } from "../../src/service/profile.ts";
import type * as service from "../../src/service.ts";
import {
  ArgumentError,
  type List,
  type SentRequest,
  type SentResult,
  ServiceClient,
  type ServiceClientOptions,
} from "../../src/service.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { answer, inTurn, openHostileServer, reset } from "../world/hostile-server.ts";
import { catchFailure, lastDay, makeClient, openSandbox, useSandbox } from "../world/service/client.ts";
import {
  apiKey,
  expectNoSecret,
  hostileClient,
  jsonReply,
  lastPage,
  onePage,
  startHostileService,
  statusReply,
} from "../world/service/hostile-service.ts";

test("a JWT for a key-only endpoint is an ArgumentError, and nothing is sent", async () => {
  const sandbox = await openSandbox();
  const thrown = await catchFailure(makeClient(sandbox, { jwt }).analytics.users(lastDay).page());
  expect(thrown).toMatchObject({ name: "ArgumentError" });
  expect(sandbox.seen).toEqual([]);
  expectNoSecret(thrown);
});

describe("a client", () => {
  const good = { baseUrl: "https://api.example.com", apiKey };
  const encrypted = "must be an https:// address";
  test.each([
    ["without a key", { apiKey: undefined }, "apiKey", "either `apiKey` or `jwt` must be given"],
    ["with a key and a JWT", { jwt }, "apiKey", "either `apiKey` or `jwt` must be given"],
    ["with a key of two lines", { apiKey: `${apiKey}\nx: y` }, "apiKey", "must be printable ASCII without spaces"],
    ["with an empty key", { apiKey: "" }, "apiKey", "must be printable ASCII without spaces"],
    ["with an unencrypted address", { baseUrl: "http://api.example.com" }, "baseUrl", encrypted],
    ["with a password in its address", { appUrl: `https://me:${apiKey}@app.example.com` }, "appUrl", encrypted],
  ])("%s is rejected", async (_, options, parameter, says) => {
    const make = async () => new ServiceClient({ ...good, ...options } as ServiceClientOptions);
    const thrown = await catchFailure(make());
    expect(thrown).toMatchObject({ name: "ArgumentError", parameter, message: expect.stringContaining(says) });
    expectNoSecret(thrown);
  });

  test("hides its key when printed", () => {
    const client = new ServiceClient({ ...good, appUrl: "https://app.example.com" });
    for (const entry of [client, client.analytics, client.users.list()]) {
      const printed = inspect(entry, { depth: Number.POSITIVE_INFINITY, showHidden: true });
      expect(printed + JSON.stringify(entry)).not.toContain(apiKey);
    }
  });

  test("sends no request for reports without `appUrl`", async () => {
    const thrown = await catchFailure(new ServiceClient(good).readiness.reports().page());
    expect(thrown).toMatchObject({ name: "ArgumentError", parameter: "appUrl" });
  });
});

describe("options", () => {
  const body = JSON.stringify({ users: [{ id: "u1" }], pagination: lastPage });
  const limits = { "x-request-id": "req_1", "x-ratelimit-limit": "60", "x-ratelimit-remaining": "59" };

  test("withResponse() also has status, headers, request id and rate limits", async () => {
    const server = await startHostileService(answer(200, limits, body));
    const { data, response } = await hostileClient(server.origin).users.list().page().withResponse();
    expect(data.items).toEqual([{ id: "u1" }]);
    expect(response).toMatchObject({ status: 200, requestId: "req_1", rateLimit: { limit: 60, remaining: 59 } });
    expect(response.headers).toMatchObject({ "x-ratelimit-limit": "60" });
  });

  test("withResponse() of a failing call rejects only once", async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", listen);
    onTestFinished(() => void process.off("unhandledRejection", listen));
    const server = await startHostileService(statusReply(404));
    const failed = hostileClient(server.origin).computers.installDeps("c1").withResponse();
    expect(await catchFailure(failed)).toMatchObject({ name: "NotFoundError" });
    await new Promise(setImmediate); // Node reports unhandled rejections before
    expect(unhandled).toEqual([]);
  });

  describe("retries", () => {
    test("are limited by the call, or else the client, or else to two", async () => {
      const rows = [
        ["none by the client", { maxRetries: 0 }, {}, 1],
        ["five by the client", { maxRetries: 5 }, {}, 6],
        ["one by the call, overriding the client's", { maxRetries: 5 }, { maxRetries: 1 }, 2],
        ["two by default", {}, {}, 3],
      ] as const;
      const check = async ([, options, call, requests]: (typeof rows)[number]) => {
        const server = await startHostileService(statusReply(503));
        await catchFailure(hostileClient(server.origin, { apiKey }, options).users.list({}, call).page());
        expect(server.requests).toHaveLength(requests);
      };
      expect(await collectFailures(rows, check)).toEqual([]);
    });

    test("come after the service's retry-after-ms, or a pause with jitter", async () => {
      const pauses: number[] = [];
      const options = { now: () => 0, sleep: async (ms: number) => void pauses.push(ms), random: () => 1 };
      for (const headers of [{ "retry-after-ms": "1500", "retry-after": "9" }, {}]) {
        const server = await startHostileService(statusReply(429, {}, headers));
        await catchFailure(hostileClient(server.origin, { apiKey }, options).users.list().page());
      }
      expect(pauses).toEqual([1500, 1500, 375, 750]);
    });
  });

  test("headers of the client and of a call are sent, with the client's version", async () => {
    const server = await startHostileService(onePage);
    const client = hostileClient(server.origin, { apiKey }, { headers: { "X-Team": "a", "x-trace": "1" } });
    await client.users.list({}, { headers: { "X-Trace": "2" } }).page();
    const own = { "x-team": "a", "x-trace": "2", authorization: `Bearer ${apiKey}` };
    expect(server.requests[0]?.headers).toMatchObject(own);
    expect(server.requests[0]?.headers["user-agent"]).toMatch(/^beckon\/\d+\.\d+\.\d+ node\/\d+/);
  });

  test("hooks get every attempt, without the key", async () => {
    const sent: SentRequest[] = [];
    const ended: SentResult[] = [];
    const onRequest = (entry: SentRequest) => void sent.push(entry);
    const hooks = { onRequest, onResponse: (entry: SentResult) => void ended.push(entry) };
    const server = await startHostileService(inTurn(reset, statusReply(500), onePage));
    await hostileClient(server.origin, { apiKey }, hooks).users.list({ limit: 5 }).page();
    const url = `${server.origin}/api/v0/organization/users?limit=5`;
    expect(sent).toMatchObject([1, 2, 3].map((attempt) => ({ method: "GET", url, attempt })));
    expect(ended.map(({ status, error }) => status ?? error?.name)).toEqual(["ConnectionError", 500, 200]);
    expectNoSecret({ sent, ended });
  });

  test("request() reaches unknown endpoints with the client's key, retries and errors", async () => {
    const server = await openHostileServer({ "*": inTurn(statusReply(503), jsonReply({ teams: [1] })) });
    const client = hostileClient(`${server.origin}/x`);
    const query = { limit: 5, cursor: undefined };
    expect(await client.request("GET", "/api/v0/teams", { query })).toEqual({ teams: [1] });
    const headers = { authorization: `Bearer ${apiKey}` };
    const sent = { method: "GET", path: "/x/api/v0/teams?limit=5", headers };
    expect(server.requests).toMatchObject([sent, sent]);
    const error = { name: "ArgumentError", parameter: "path" };
    for (const path of ["api", "/a/../b", "/a/%2e%2E/b", "/a?b", "/a\\b", "/ä"])
      expect(await catchFailure(client.request("GET", path))).toMatchObject(error);
    expect(server.requests).toHaveLength(2);
  });

  test("a custom fetch sends the requests", async () => {
    const server = await startHostileService(jsonReply({ users: [{ id: "u1" }], pagination: lastPage }));
    const urls: string[] = [];
    const own: typeof fetch = (input, init) => {
      urls.push(String(input));
      return fetch(input, init);
    };
    const options = { baseUrl: server.origin, apiKey, fetch: own, sleep: async () => {} };
    expect(await new ServiceClient(options).users.list().all()).toEqual([{ id: "u1" }]);
    expect(urls).toEqual([`${server.origin}/api/v0/organization/users?limit=100`]);
    const redirect = await startHostileService(answer(307, { location: server.origin }));
    const away = new ServiceClient({ ...options, baseUrl: redirect.origin }).users.list().all();
    expect(await catchFailure(away)).toMatchObject({ name: "RedirectError" });
    const small = new ServiceClient({ ...options, maxReplyBytes: 10, maxRetries: 0 }).users.list({ limit: 1 }).all();
    expect(await catchFailure(small)).toMatchObject({ name: "ParseError", truncated: true });
  });

  test("an invalid option of the client or of a call is refused", async () => {
    const good = { baseUrl: "https://api.example.com", apiKey };
    const beyond = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31].map((ms) => ["timeoutMs", ms] as const);
    const ofClient = [
      ...beyond,
      ["attempts", 3],
      ["maxRetries", -1],
      ["maxRetries", "2"],
      ["maxReplyBytes", 1.5],
      ["headers", { Authorization: "Bearer mine" }],
      ["headers", { "x-a": "a\nb" }],
      ["fetch", "node-fetch"],
      ["onRequest", true],
    ] as const;
    const others = Object.entries({ timeout: 5, maxRetries: 11, signal: {}, headers: { host: "other" } });
    const ofCall = [...others, ...beyond];
    const make = async (options: object) => new ServiceClient({ ...good, ...options } as ServiceClientOptions);
    const call = (options: object) => new ServiceClient(good).users.list({}, options).page();
    const checkBy = (use: (options: object) => Promise<unknown>) => async (row: readonly [string, unknown]) =>
      expect(await catchFailure(use({ [row[0]]: row[1] }))).toMatchObject({ name: "ArgumentError", parameter: row[0] });
    expect(await collectFailures(ofClient, checkBy(make))).toEqual([]);
    expect(await collectFailures(ofCall, checkBy(call))).toEqual([]);
  });
});

const baseUrl = "https://api.example.com/x";
const good = { baseUrl, apiKey: "${env:BECKON_API_KEY}", appUrl: "https://app.example.com" };

test("service settings are encrypted or local addresses, and a key of one line", () => {
  const fitting = {
    "all of them": good,
    "no appUrl": { baseUrl: good.baseUrl, apiKey: good.apiKey },
    "a port and a path": { ...good, baseUrl: "https://api.example.com:8443/x/" },
    "http on this machine": { ...good, baseUrl: "http://localhost:8080" },
    "http on this machine by IPv4": { ...good, baseUrl: "http://127.9.9.9:1" },
    "http on this machine by IPv6": { ...good, baseUrl: "http://[::1]:8080" },
  };
  const unfit = {
    "no key": { baseUrl: good.baseUrl },
    "http to another machine": { ...good, baseUrl: "http://api.example.com" },
    "http to a name that only begins with localhost": { ...good, baseUrl: "http://localhost.example.com" },
    "http to a name that only looks like this machine": { ...good, baseUrl: "http://127.0.0.1.example.com" },
    "a user in the address": { ...good, baseUrl: "https://me:pass@api.example.com" },
    "a query in the address": { ...good, baseUrl: "https://api.example.com/?a=b" },
    "an anchor in the address": { ...good, baseUrl: "https://api.example.com#a" },
    "another protocol": { ...good, appUrl: "file:///etc/passwd" },
    "no address": { ...good, baseUrl: "api.example.com" },
    "an empty address": { ...good, baseUrl: "" },
    "a key with a line break": { ...good, apiKey: "a\r\nX-Evil: 1" },
    "an empty key": { ...good, apiKey: "" },
  };
  const all = Object.entries({ ...fitting, ...unfit });
  const accepted = all.filter(([, settings]) => serviceSettingsSchema.safeParse(settings).success);
  expect(accepted.map(([name]) => name)).toEqual(Object.keys(fitting));
});

test("every service setting is described, and the key is a secret", () => {
  for (const field of Object.values(serviceSettingsSchema.shape)) expect(field.description).toMatch(/\.$/);
  expect(isSecret(serviceSettingsSchema.shape.apiKey)).toBe(true);
});

describe("arguments", () => {
  const session = makeSession(longestSession).sessionId;

  const sandbox = useSandbox();

  const limit = "must be a whole number from 1 to 100";
  const positive = /must be (a whole number, )?1 or more/;
  const short = "must be a text of 1 to 63 characters";
  type Refused = readonly [what: string, parameter: string, args: unknown, says: string | RegExp];
  const kinds = ["tokens", "tools", "activity", "productivity", "users"];
  const limited = ["enterpriseControls.history", "sessions.list", "sessions.messages", "users.list"];
  const tokenUsage = { computerId: "c", sessionSettings: { tokenUsage: {} } };
  const day = (name: string, given: unknown, says: string | RegExp): readonly Refused[] =>
    kinds.map((kind) => [`analytics.${kind}`, name, { ...lastDay, [name]: given }, says] as const);
  const limits = (what: string, given: object = {}): readonly Refused[] =>
    [0, 101, -1, 1.5, Number.NaN, "5"].map((value) => [what, "limit", { ...given, limit: value }, limit] as const);
  const refused: readonly Refused[] = [
    ...day("startDate", "2026-01-13", "is before 2026-01-14, the first day with data"),
    ...day("endDate", "2026-06-15", "is today (UTC): data has a 24-hour lag"),
    ...day("startDate", "2026-06-15", "is today (UTC): data has a 24-hour lag"),
    ...day("endDate", "2026-06-16", "is in the future: data has a 24-hour lag"),
    ...day("startDate", "14.06.2026", "must be a calendar day as YYYY-MM-DD"),
    ...day("endDate", "2026-02-30", "must be a calendar day as YYYY-MM-DD"),
    ...day("startDate", undefined, "is missing"),
    ...kinds.map((kind): Refused => [`analytics.${kind}`, "startDate", undefined, "is missing"]),
    ...kinds.map((kind): Refused => {
      const reversed = { startDate: "2026-06-14", endDate: "2026-06-13" };
      return [`analytics.${kind}`, "startDate", reversed, "is after `endDate` 2026-06-13"];
    }),
    ["analytics.tokens", "groupBy", { ...lastDay, groupBy: "user" }, 'must be "model"'],
    ["analytics.tools", "groupBy", { ...lastDay, groupBy: "model" }, 'must be "tool_name"'],
    ["analytics.activity", "groupBy", { ...lastDay, groupBy: "day" }, 'must be "client"'],
    ["analytics.users", "groupBy", { ...lastDay, groupBy: "model" }, "is not accepted here"],
    ...limits("analytics.users", lastDay),
    ...limited.flatMap((what) => limits(what)),
    ...[0, -1, 1.5, "5"].map((value): Refused => ["readiness.reports", "limit", { limit: value }, positive]),
    ["sessions.messages", "role", { role: "system" }, "must be one of user, assistant, tool"],
    ["users.list", "cursor", { cursor: "" }, "must be the cursor of a page"],
    ["sessions.create", "computerId", {}, "is missing"],
    ["sessions.create", "cwd", { computerId: "c", cwd: "" }, "must be a text of 1 to 4096 characters"],
    ["sessions.create", "cwd", { computerId: "c", cwd: "x".repeat(4097) }, "must be a text of 1 to 4096 characters"],
    ["sessions.create", "sessionSettings.tokenUsage", tokenUsage, "is not accepted here"],
    ...["name", "remoteUser"].flatMap((field): Refused[] => [
      ["computers.update", field, { [field]: "" }, short],
      ["computers.update", field, { [field]: "x".repeat(64) }, short],
    ]),
    ["computers.update", "hostId", { hostId: "host-1" }, "must be a UUID"],
    ["computers.update", "status", { status: "active" }, "is not accepted here"],
  ];

  /** Formats a call with the beginning of the rejected value. */
  function formatTitle([what, parameter, args]: Refused): string {
    const inner = (at: unknown, name: string): unknown => (at as Record<string, unknown> | undefined)?.[name];
    const value = parameter.split(".").reduce(inner, args);
    const shown = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "nothing");
    return `${what} with ${shown.length > 20 ? `${shown.slice(0, 10)}… (${shown.length - 2})` : shown} as ${parameter}`;
  }

  /**
   * Describes what is unexpected in the client's answer to a call; undefined if it rejects the call as the row says.
   */
  async function surprise([what, parameter, args, says]: Refused): Promise<unknown> {
    const [resource = "", verb = ""] = what.split(".");
    type Verbs = Readonly<Record<string, (...args: unknown[]) => List<unknown>>>;
    const client = makeClient(sandbox) as unknown as Record<string, Verbs>;
    const ids = /messages$/.test(what) ? [session] : what === "computers.update" ? ["computer_1"] : [];
    const call = async () => {
      const result: unknown = client[resource]?.[verb]?.(...ids, args);
      return await (result instanceof Promise ? result : (result as List<unknown>).page());
    };
    const error = await catchFailure(call()).catch((fault: unknown) => fault);
    const isExpected =
      error instanceof ArgumentError &&
      error.reason === "rejected" &&
      error.parameter === parameter &&
      (says instanceof RegExp ? says.test(error.message) : error.message.includes(says));
    return isExpected ? undefined : error;
  }

  test("arguments outside the limits of the API are rejected before anything is sent", async () => {
    const rows = refused.map(async (row) => [formatTitle(row), await surprise(row)] as const);
    expect((await Promise.all(rows)).filter(([, error]) => error !== undefined)).toEqual([]);
    expect(refused.length).toBeGreaterThan(60);
    expect(sandbox.seen).toEqual([]);
  });
});

const serviceUrl = (from: string, path: string, ids: Record<string, unknown>, query = {}): URL =>
  new URL(urlOf(from, servicePath(path, ids), query));
const template = "/api/v0/sessions/{sessionId}/messages";

describe("serviceUrl", () => {
  const [list, port] = ["/api/v0/sessions", "https://api.example.com:8443"];
  const messages = "https://api.example.com/x/api/v0/sessions/a-1/messages?limit=5";
  test.each([
    ["https://api.example.com", list, {}, {}, "https://api.example.com/api/v0/sessions"],
    ["https://api.example.com/", list, {}, { cursor: undefined }, "https://api.example.com/api/v0/sessions"],
    ["https://api.example.com/x//", template, { sessionId: "a-1" }, { limit: 5 }, messages],
    [port, list, {}, { cursor: "a&b=c#d" }, "https://api.example.com:8443/api/v0/sessions?cursor=a%26b%3Dc%23d"],
  ])("builds %s and %s with %j and %j", (from, path, parts, query, url) => {
    expect(urlOf(from, servicePath(path, parts), query)).toBe(url);
  });

  test("rejects an impossible id and names it", () => {
    for (const sessionId of ["..", ".", "", "\ud800", undefined, 7, ["a"]]) {
      const message = expect.stringMatching(/^`sessionId` must be an id/);
      expect(() => serviceUrl(baseUrl, template, { sessionId }), JSON.stringify(sessionId)).toThrow(
        expect.objectContaining({ name: "ArgumentError", parameter: "sessionId", message }),
      );
    }
  });

  test("stays on the host of the base address", () => {
    for (const from of ["https://api.example.com//evil.example", "https://api.example.com/\\evil.example"])
      expect(serviceUrl(from, "/api/v0/sessions", {}).host).toBe("api.example.com");
  });

  test("stays below the base address for every part and query", () => {
    const check = (sessionId: string, cursor: string): void => {
      if (!isServiceId(sessionId)) {
        expect(() => serviceUrl(baseUrl, template, { sessionId })).toThrow();
        return;
      }
      const text = urlOf(baseUrl, servicePath(template, { sessionId }), { cursor });
      const url = new URL(text);
      expect(text).toBe(url.href);
      const [, part = ""] = /^\/x\/api\/v0\/sessions\/([^/]+)\/messages$/.exec(url.pathname) ?? [];
      expect([url.origin, decodeURIComponent(part)]).toEqual(["https://api.example.com", sessionId]);
      expect([...url.searchParams]).toEqual([["cursor", cursor.toWellFormed()]]);
    };
    const part = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), fc.webPath());
    const odd = ["%2e%2e", "a/../../b", "a\\..\\b", "//evil.example", "a?b#c d\n", "user:ä@x", "..."];
    const examples = odd.map((id): [string, string] => [id, ""]);
    fc.assert(fc.property(part, fc.string({ unit: "binary" }), check), { numRuns: 500, examples });
  });
});

/** Types only: `npm run typecheck` fails if these are wrong. */

declare const client: service.ServiceClient;
const days = { startDate: "2026-06-14", endDate: "2026-06-14" };
type ItemOf<List> =
  List extends service.List<infer Item, never> ? Item : List extends AsyncIterable<infer Item> ? Item : never;
const item = <List>(_: () => List) => expectTypeOf<ItemOf<List>>();

test("the type of an item follows from the list and from groupBy", () => {
  item(() => client.analytics.tokens(days)).toEqualTypeOf<service.CreditsRow>();
  item(() => client.analytics.tokens({ ...days, groupBy: undefined })).toEqualTypeOf<service.CreditsRow>();
  item(() => client.analytics.tokens({ ...days, groupBy: "model" })).toEqualTypeOf<service.CreditsByModelRow>();
  item(() => client.analytics.tools(days)).toEqualTypeOf<service.ToolUsageRow>();
  item(() => client.analytics.tools({ ...days, groupBy: "tool_name" })).toEqualTypeOf<service.ToolUsageByToolRow>();
  item(() => client.analytics.activity(days)).toEqualTypeOf<service.ActivityRow>();
  item(() => client.analytics.activity({ ...days, groupBy: "client" })).toEqualTypeOf<service.ActivityByClientRow>();
  const groupBy = "model" as "model" | undefined; // known at run time only
  type Either = service.CreditsRow | service.CreditsByModelRow;
  item(() => client.analytics.tokens({ ...days, groupBy })).toEqualTypeOf<Either>();
  item(() => client.analytics.productivity(days)).toEqualTypeOf<service.ProductivityRow>();
  item(() => client.analytics.users(days)).toEqualTypeOf<service.UserRow>();
  item(() => client.readiness.reports()).toEqualTypeOf<service.ReadinessReport>();
  item(() => client.enterpriseControls.history()).toEqualTypeOf<service.ControlChange>();
  item(() => client.sessions.list()).toEqualTypeOf<service.ListedSession>();
  item(() => client.sessions.messages("s")).toEqualTypeOf<service.ListedMessage>();
  item(() => client.users.list()).toEqualTypeOf<service.OrganizationUser>();
});

test("every parameter and body has a named type", () => {
  type First<Verb extends (...args: never[]) => unknown> = Parameters<Verb>[0];
  expectTypeOf<First<typeof client.analytics.users>>().toEqualTypeOf<service.UserMetricsQuery>();
  expectTypeOf<First<typeof client.analytics.productivity>>().toEqualTypeOf<service.ProductivityQuery>();
  expectTypeOf<First<typeof client.sessions.create>>().toEqualTypeOf<service.NewSession>();
  expectTypeOf<Parameters<typeof client.computers.update>[1]>().toEqualTypeOf<service.ComputerChange>();
  expectTypeOf<service.TokensQuery["groupBy"]>().toEqualTypeOf<"model" | undefined>();
});

test("the compiler rejects undocumented values of groupBy, parameters and fields", () => {
  // @ts-expect-error tools are grouped by their names
  void (() => client.analytics.tools({ ...days, groupBy: "model" }));
  // @ts-expect-error productivity is not grouped
  void (() => client.analytics.productivity({ ...days, groupBy: "model" }));
  // @ts-expect-error both dates are required
  void (() => client.analytics.users({ startDate: "2026-06-14" }));
  // @ts-expect-error the service filters by user, assistant and tool
  void (() => client.sessions.messages("s", { role: "system" }));
  // @ts-expect-error token counts are in replies alone
  void (() => client.sessions.create({ computerId: "c", sessionSettings: { tokenUsage: {} } }));
  // @ts-expect-error a misspelt field of a row
  void ((row: service.UserRow) => row.tool_call);
});

test("the compiler accepts undocumented enumeration values and completes documented ones", () => {
  expectTypeOf<"a level of next year">().toExtend<service.DelegationLevel>();
  expectTypeOf<"auto-high">().toExtend<service.DelegationLevel>();
  expectTypeOf<number>().not.toExtend<service.DelegationLevel>();
});
