import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { jwt, keys } from "../../src/fake-service/access.ts";
import { buildExcerpt } from "../../src/service/excerpt.ts";
import { dropNulls, readReply } from "../../src/service/reply.ts";
import { controlChangeSchema } from "../../src/service/schemas/objects.ts";
import { openObject } from "../../src/service/schemas/open.ts";
import * as service from "../../src/service.ts";
import {
  type Credentials,
  type ParseError,
  type ServiceClient,
  type ServiceClientOptions,
  ServiceError,
} from "../../src/service.ts";
import { collectFailures } from "../world/collect-failures.ts";
import {
  answer,
  type Behaviour,
  cutBody,
  endlessBody,
  garbage,
  gzipBomb,
  hangUp,
  htmlPage,
  hugeHeaders,
  openHostileServer,
  reset,
  silence,
  slowBody,
  slowHeaders,
  startHostileServer,
  upgrade,
} from "../world/hostile-server.ts";
import { catchFailure, useSandbox, yesterday } from "../world/service/client.ts";
import {
  apiKey,
  collectTexts,
  expectNoSecret,
  hostileClient,
  jsonReply,
  lastPage,
  onePage,
  startHostileService,
  statusReply,
} from "../world/service/hostile-service.ts";

const context = {
  ...{ url: "https://api.example.com/api/v0/users", method: "GET", path: "/api/v0/sessions" },
  ...{ redact: (text: string) => text, roles: undefined, appUrl: undefined, nowMs: 0 },
};
const read = (schema: z.ZodType, body: string): unknown =>
  readReply(schema, { status: 200, headers: {}, body }, context);

const change = (settings: string): string =>
  `{ "revision": 1, "settings": ${settings}, "user": { "id": "u", "email": "e", "name": "n" }, "updatedAt": "t" }`;
/** Schema with a `catch`, which the fast path leaves to zod. */
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

test("a reply keeps unknown fields and unknown values of enumerations", async () => {
  const row = { sessionId: "s", status: "dreaming", brandNew: { deep: [1, null] } };
  const reply = { sessions: [row], pagination: { hasMore: false, total: 7 }, took: "3ms" };
  const server = await startHostileService(jsonReply(reply));
  const got = await hostileClient(server.origin).sessions.list().page();
  expect(got).toEqual({ ...reply, items: [row], next: undefined });
});

describe("an error hides a key in the reply", () => {
  test.each([
    ["quoted as in JSON", 'key"7f\\3e9b21c8', (key: string) => JSON.stringify(key).slice(1, -1)],
    ["with its header, in base64", apiKey, (key: string) => Buffer.from(`Bearer ${key}`).toString("base64")],
    ["shorter than any key", "wrong", (key: string) => key],
  ])("%s", async (_, key, encode) => {
    const form = encode(key);
    const body = { title: form, detail: `you sent ${form}.`, requestId: form };
    const server = await startHostileService(statusReply(401, body));
    const thrown = await catchFailure(hostileClient(server.origin, { apiKey: key }).users.list().page());
    expect(thrown).toMatchObject({ name: "AuthenticationError", detail: expect.stringContaining("[secret]") });
    expect(collectTexts(thrown)).not.toContain(form);
  });

  test.each([apiKey, 'key"7f\\3e9b21c8'])("as a field name: %s", async (key) => {
    const report = { reportId: "r", createdAt: 1, repoUrl: "u", apps: { [key]: { description: 1 } }, report: {} };
    const server = await startHostileService(jsonReply({ reports: [report] }));
    const thrown = await catchFailure(hostileClient(server.origin, { apiKey: key }).readiness.reports().page());
    expect(thrown).toMatchObject({ name: "ParseError", message: expect.stringContaining("[secret]") });
    expect(collectTexts(thrown)).not.toMatch(/7f|3e9b21c8/);
  });
});

test("a reply that begins with a byte order mark is read", async () => {
  const body = JSON.stringify({ users: [{ id: "u1" }], pagination: lastPage });
  const server = await startHostileService(answer(200, {}, `\ufeff${body}`));
  expect((await hostileClient(server.origin).users.list().page()).items).toEqual([{ id: "u1" }]);
});

const users = (client: ServiceClient) => client.users.list().page();
const install = (client: ServiceClient) => client.computers.installDeps("c1");
const failure = async (behaviour: Parameters<typeof startHostileService>[0], ask: (client: ServiceClient) => unknown) =>
  catchFailure(Promise.resolve(ask(hostileClient((await startHostileService(behaviour)).origin, { apiKey }))));

describe("a ParseError", () => {
  test("names the failed request and the cause, and shows the row", async () => {
    const rows = [{ id: "u1" }, { id: "u2", email: 7, apiKey: "sk-canary", note: apiKey }];
    const body = JSON.stringify({ users: rows, pagination: lastPage });
    const error = await failure(answer(200, { "x-request-id": "req_5" }, body), users);
    const request = { requestId: "req_5", method: "GET", path: "/api/v0/organization/users" };
    const excerpt = '{"id":"u2","email":7,"apiKey":"[secret]","note":"[secret]"}';
    expect(error).toMatchObject({ name: "ParseError", status: 200, ...request, excerpt });
    expect(collectTexts(error)).not.toContain("canary");
    expectNoSecret(error);
  });

  test("to a POST says that the request may have taken effect", async () => {
    const request = { name: "ParseError", method: "POST", path: "/api/v0/computers/c1/install-deps" };
    const hint = expect.stringMatching(/^It may have taken effect: check before you repeat/);
    for (const behaviour of [jsonReply({ id: 7 }), answer(200, {}, "ok"), answer(204), htmlPage]) {
      expect(await failure(behaviour, install)).toMatchObject({ ...request, hint });
      expect(await failure(behaviour, users)).toMatchObject({ hint: expect.not.stringContaining("taken effect") });
    }
  });

  test("blames the addresses for a web page only", async () => {
    const blames = /address|baseUrl/;
    expect(await failure(htmlPage, users)).toMatchObject({ hint: expect.stringMatching(blames) });
    for (const behaviour of [jsonReply({}), answer(200, {}, "ok"), answer(204), statusReply(500)])
      expect(await failure(behaviour, users)).toMatchObject({ hint: expect.not.stringMatching(blames) });
    const named = statusReply(404, { message: "No such computer." });
    expect(await failure(named, install)).toMatchObject({ hint: "Check the ids." });
  });
});

test("a ServerError to a POST says that the request may have taken effect", async () => {
  for (const status of [500, 502, 503]) {
    const [ofPost, ofGet] = [await failure(statusReply(status), install), await failure(statusReply(status), users)];
    expect(ofPost).toMatchObject({ name: "ServerError", hint: expect.stringMatching(/^It may have taken effect/) });
    expect(ofGet).toMatchObject({ hint: expect.stringMatching(/^Try again later/) });
  }
});

describe("a service error", () => {
  test.each([
    ["{title, detail}", { title: "Bad Request", detail: "Limit." }, { title: "Bad Request", detail: "Limit." }],
    ["{message}", { message: "Limit." }, { detail: "Limit." }],
    ["{error}", { error: "Limit." }, { detail: "Limit." }],
    ["{error: {message}}", { error: { message: "Limit.", request_id: "r1" } }, { detail: "Limit.", requestId: "r1" }],
    ["{error, message}", { error: "Bad Request", message: "Limit." }, { title: "Bad Request", detail: "Limit." }],
    ["{errors: [{message}]}", { errors: [{ message: "Limit." }] }, { detail: "Limit." }],
    ["{errors: [text]}", { errors: ["Limit."], request_id: "r2" }, { detail: "Limit.", requestId: "r2" }],
    ["of FastAPI", { detail: [{ loc: ["query", "limit"], msg: "Limit." }] }, { detail: "Limit. (query.limit)" }],
    ["{detail: [{message}]}", { detail: [{ message: "Limit." }] }, { detail: "Limit." }],
    ["{detail: [text]}", { detail: ["Limit."] }, { detail: "Limit." }],
    ["{detail: {message}}", { detail: { message: "Limit." } }, { detail: "Limit." }],
    ["{error_description} of OAuth", { error_description: "Limit." }, { detail: "Limit." }],
    ["of a text", "Limit.", { detail: "Limit." }],
    ["[{message}]", [{ message: "Limit." }], { detail: "Limit." }],
  ])("in the shape %s is read", async (_, body, expected) => {
    const error = await failure(answer(400, {}, JSON.stringify(body)), users);
    expect(error).toMatchObject({ name: "BadRequestError", ...expected });
    expect(error).not.toHaveProperty("excerpt");
  });

  test.each([
    ["JSON", JSON.stringify({ why: "no", token: "canary" }), '{"why":"no","token":"[secret]"}'],
    ["text", "no such route", "no such route"],
  ])("in another shape is shown unchanged: %s", async (_, body, excerpt) => {
    const error = await failure(answer(400, {}, body), users);
    expect(error).toMatchObject({ name: "BadRequestError", status: 400, excerpt });
  });

  test("has a hint on where to look", async () => {
    const hints = [{ detail: "limit is odd" }, {}].map((body) => failure(statusReply(400, body), users));
    expect(await Promise.all(hints)).toMatchObject([
      { hint: "`detail` says what the service rejected." },
      { hint: "The service does not say what it rejected." },
    ]);
  });
});

test("a row that does not match the API is left out if the caller allows it", async () => {
  const rows = [{ id: "u1" }, { id: "u2", email: 7 }, null, { id: "u4", email: null }];
  const server = await startHostileService(jsonReply({ users: rows, pagination: lastPage }));
  const invalid: ParseError[] = [];
  const onInvalidRow = (error: ParseError) => void invalid.push(error);
  const list = hostileClient(server.origin).users.list({}, { onInvalidRow });
  expect(await list.all()).toEqual([{ id: "u1" }, { id: "u4" }]);
  expect(invalid.map(({ message, excerpt }) => [message.replace(/.*, at /, ""), excerpt])).toEqual([
    [expect.stringMatching(/^users\[1\]\.email: /), '{"id":"u2","email":7}'],
    [expect.stringMatching(/^users\[2\]: /), "null"],
  ]);
  const broken = await startHostileService(jsonReply({ users: rows }));
  const failed = hostileClient(broken.origin).users.list({}, { onInvalidRow }).all();
  expect(await catchFailure(failed)).toMatchObject({ name: "ParseError" });
});

test("an excerpt is one short line without the key, whatever the body", () => {
  const redact = (text: string) => text.replaceAll(apiKey, "[secret]");
  const unquoted = fc.string({ unit: "binary" }).map((text) => text.replace(/"/g, ""));
  const body = fc.array(fc.oneof(unquoted, fc.constant(apiKey), fc.constant('{"token":"canary"}')));
  const property = fc.property(body, (parts) => {
    const excerpt = buildExcerpt(parts.join(""), redact) ?? "";
    expect(excerpt.length).toBeLessThanOrEqual(500);
    expect(excerpt).not.toContain(apiKey);
    expect(excerpt).not.toMatch(/[\n\r\u001b]|canary/);
  });
  fc.assert(property);
  expect(buildExcerpt("", redact)).toBeUndefined();
});

const schema = openObject({
  name: z.string(),
  title: z.string().optional(),
  next: z.string().nullish(),
  inner: openObject({ deep: z.number().optional() }).optional(),
  list: z.array(openObject({ id: z.string().optional() })).optional(),
  map: z.record(z.string(), openObject({ id: z.string().optional() })).optional(),
});

const nested = (inner: object) => ({ name: "a", list: [inner], map: { x: inner } });
test.each([
  ["an optional field", { name: "a", title: null }, { name: "a" }],
  ["optional fields deep inside", { name: "a", inner: { deep: null } }, { name: "a", inner: {} }],
  ["optional fields in lists and maps", nested({ id: null }), nested({})],
])("a null in %s is absent", (_, value, expected) => {
  expect(schema.parse(dropNulls(schema, value))).toEqual(expected);
});

test("a null that the API allows, in a required field, or in an unknown one stays", () => {
  const value = { name: null, next: null, unknown: null, list: [null] };
  expect(dropNulls(schema, value)).toEqual(value);
});

test("a value without nulls of any shape is unchanged", () => {
  const property = fc.property(fc.jsonValue(), (value) => {
    fc.pre(!JSON.stringify(value).includes("null") && !JSON.stringify(value).includes("__proto__"));
    expect(dropNulls(schema, value)).toEqual(value);
  });
  fc.assert(property);
});

test("a client gets sessions and users whose optional fields are null", async () => {
  const session = { sessionId: "s", title: null, computerId: null, completedAt: null, sessionSettings: null };
  const sessions = await startHostileService(jsonReply({ sessions: [session], pagination: lastPage }));
  expect(await hostileClient(sessions.origin).sessions.list().all()).toEqual([{ sessionId: "s" }]);
  const users = await startHostileService(jsonReply({ users: [{ id: "u", email: null }], pagination: lastPage }));
  expect(await hostileClient(users.origin).users.list().all()).toEqual([{ id: "u" }]);
  const nameless = await startHostileService(jsonReply({ users: [{ id: null }], pagination: lastPage }));
  expect(await catchFailure(hostileClient(nameless.origin).users.list().all())).toMatchObject({ name: "ParseError" });
});

const sandbox = useSandbox({ users: 30 });

const listing = service.endpoints.filter(({ method, path }) => method === "GET" && !path.includes("{"));
const lists = listing.map((endpoint) => [endpoint.name, endpoint] as const);

test.each(lists)("keeps every field of the sandbox's reply to %s", async (_, endpoint) => {
  const { base, path, daily } = endpoint;
  const url = `${sandbox[base]}${path}${daily ? `?startDate=${yesterday}&endDate=${yesterday}` : ""}`;
  const reply: unknown = await (await fetch(url, { headers: { authorization: `Bearer ${keys.owner}` } })).json();
  expect(read(endpoint.reply, JSON.stringify(reply))).toEqual(reply);
});

/** Failures of real misbehaving servers: each has its own error, and no error shows the key. */

const credentials: Readonly<Record<string, Credentials>> = { "an API key": { apiKey }, "a JWT": { jwt } };

type Options = Partial<ServiceClientOptions>;
type Row = readonly [title: string, Behaviour, error: object, says: RegExp, requests: number, options?: Options];
/** Answers with the key, in every form in which a reply could contain it. */
const echo: Behaviour = (request, response) => {
  const bearer = request.headers.authorization?.replace("Bearer ", "") ?? "";
  const forms = `${bearer} ${encodeURIComponent(bearer)} ${Buffer.from(bearer).toString("base64")}`;
  const body = { title: forms, detail: `you sent ${forms}`, requestId: bearer };
  statusReply(400, body, { "x-request-id": bearer })(request, response);
};
const no = { title: "Unauthorized", detail: "No." };
const noError = { name: "AuthenticationError", reason: "auth", status: 401, detail: "No." };
const limitError = { name: "RateLimitError", reason: "rate-limited", status: 429 };
const serverError = { name: "ServerError", reason: "unavailable", status: 500 };
const connectionError = { name: "ConnectionError", reason: "unavailable" };
const parseError = { name: "ParseError", reason: "rejected" };
const page = "<!doctype html><title>Please log in</title>";
const idHeader = { "x-request-id": "abc" };
const ofOtherTypes = { title: 7, detail: { a: 1 }, requestId: null };
const red = { detail: "\u001b[31mred\nand\u202e more" };
const small = { maxReplyBytes: 1000 };
const usersReply = (users: unknown) => jsonReply({ users, pagination: lastPage });
const numberAsEmail = usersReply([{ id: "u" }, { id: "u", email: 7 }]);
const replies: readonly Row[] = [
  ["401", statusReply(401, no), noError, /answered 401$/, 1],
  ["403", statusReply(403), { name: "PermissionError", reason: "auth", status: 403 }, /answered 403$/, 1],
  ["404", statusReply(404), { name: "NotFoundError", reason: "rejected", status: 404 }, /answered 404$/, 1],
  ["400", statusReply(400), { name: "BadRequestError", reason: "rejected", status: 400 }, /answered 400$/, 1],
  ["418", statusReply(418), { name: "ServiceError", reason: "rejected", status: 418 }, /answered 418$/, 1],
  ["429", statusReply(429, {}, { "retry-after": "2" }), { ...limitError, retryAfterMs: 2000 }, /answered 429$/, 3],
  ["500", statusReply(500, { requestId: "req_9" }), { ...serverError, requestId: "req_9" }, /answered 500$/, 3],
  ["503 with a page", answer(503, {}, "<h1>Down</h1>"), { name: "ServerError", status: 503 }, /answered 503$/, 3],
  ["the request's id in a header alone", statusReply(500, {}, idHeader), { requestId: "abc" }, /answered 500$/, 3],
  ["error fields of other types", statusReply(400, ofOtherTypes), { name: "BadRequestError" }, /answered 400$/, 1],
  ["an endless error body", endlessBody(500), { name: "ServerError" }, /answered 500$/, 3, small],
  ["an error that repeats the request", echo, { name: "BadRequestError" }, /answered 400$/, 1],
  ["an error with escape sequences", statusReply(400, red), { detail: "red and more" }, /answered 400$/, 1],
  ["a long error", statusReply(400, { detail: "x".repeat(5000) }), { detail: "x".repeat(500) }, /answered 400$/, 1],
  ["garbage", garbage, connectionError, /cannot be reached \(HPE_/, 3],
  ["a page of HTML", htmlPage, { ...parseError, status: 200, excerpt: page }, /sent a web page instead of JSON$/, 1],
  ["text", answer(200, {}, "well\n\u001b[31mnow"), { ...parseError, excerpt: "well now" }, /that is not JSON$/, 1],
  ["nothing", answer(200, {}, ""), { name: "ParseError" }, /sent an empty reply$/, 1],
  ["no content", answer(204), { name: "ParseError", status: 204 }, /sent an empty reply$/, 1],
  ["compressed nonsense", gzipBomb, { name: "ParseError" }, /sent a reply that is not JSON$/, 1],
  ["a cut body", cutBody, connectionError, /broke off in the middle of its reply$/, 3],
  ["half a JSON text", answer(200, {}, '{"users":['), { name: "ParseError" }, /sent a reply that is not JSON$/, 1],
  ["an endless body", endlessBody(), { name: "ParseError" }, /sent more than 1000 bytes$/, 1, small],
  ["endless headers", hugeHeaders, { name: "ConnectionError" }, /cannot be reached \(HPE_HEADER_OVERFLOW\)$/, 3],
  ["a reset", reset, { name: "ConnectionError" }, /cannot be reached \(ECONNRESET\)$/, 3],
  ["no answer at all", hangUp, { name: "ConnectionError" }, /cannot be reached/, 3],
  ["another protocol", upgrade, { name: "ConnectionError" }, /cannot be reached/, 3],
  ["silence", silence, { name: "TimeoutError", reason: "timeout" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  ["headers byte by byte", slowHeaders, { name: "TimeoutError" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  ["a body byte by byte", slowBody(), { name: "TimeoutError" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  ["an object instead of a list", usersReply({}), { name: "ParseError" }, /does not match the API, at users: /, 1],
  ["a missing list", jsonReply({ pagination: lastPage }), { name: "ParseError" }, /at users: /, 1],
  ["an array", jsonReply([]), { name: "ParseError" }, /at the top level: /, 1],
  ["null", jsonReply(null), { name: "ParseError" }, /at the top level: /, 1],
  ["a known field of another type", numberAsEmail, { name: "ParseError" }, /at users\[1\]\.email: /, 1],
  ["a missing required field", usersReply([{}]), { name: "ParseError" }, /at users\[0\]\.id: /, 1],
  ["no pagination", jsonReply({ users: [] }), { name: "ParseError" }, /at pagination: /, 1],
];

describe.each(Object.entries(credentials))("with %s, the client's error for", (_, own) => {
  test("each reply is specific, and shows no secret", async () => {
    const check = async ([, behaviour, error, says, requests, options]: Row) => {
      const server = await startHostileService(behaviour);
      const thrown = await catchFailure(hostileClient(server.origin, own, options).users.list().page());
      expect(thrown).toBeInstanceOf(ServiceError);
      expect(thrown).toMatchObject(error);
      expect((thrown as Error).message).toMatch(says);
      expect((thrown as Error).message.startsWith(`${server.origin} `)).toBe(true);
      expect(server.requests).toHaveLength(requests);
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${own.apiKey ?? own.jwt}`);
      expectNoSecret(thrown);
    };
    expect(await collectFailures(replies, check)).toEqual([]);
  });

  test("a refused connection is specific, and shows no secret", async () => {
    const server = await startHostileServer();
    await server.close();
    const thrown = await catchFailure(hostileClient(server.origin, own).users.list().page());
    const message = `${server.origin} cannot be reached (ECONNREFUSED)`;
    expect(thrown).toMatchObject({ name: "ConnectionError", message });
    expectNoSecret(thrown);
  });

  test("a redirect to another host is specific, and that host receives nothing", async () => {
    const check = async (status: number) => {
      const elsewhere = await openHostileServer({ "/stolen": onePage });
      const server = await startHostileService(answer(status, { location: `${elsewhere.origin}/stolen` }));
      for (const ask of [users, install]) {
        const thrown = await catchFailure(ask(hostileClient(server.origin, own)));
        const message = `${server.origin} redirects, and redirects are not followed`;
        const hint = expect.stringContaining("`baseUrl`");
        expect(thrown).toMatchObject({ name: "RedirectError", reason: "redirect", status, hint, message });
        expectNoSecret(thrown);
      }
      expect([server.requests.length, elsewhere.requests.length, elsewhere.open.size]).toEqual([2, 0, 0]);
    };
    expect(await collectFailures([301, 302, 303, 307, 308], check)).toEqual([]);
  });
});
