import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Credentials, ServiceClient, type ServiceClientOptions, ServiceError } from "../../src/service.ts";
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
  inTurn,
  reset,
  silence,
  slowBody,
  slowHeaders,
  startHostileServer,
  upgrade,
} from "../helpers/hostile-server.ts";
import { jwt, keys } from "../helpers/service/access.ts";
import { clientOf, failureOf, lastDay, openSandbox } from "../helpers/service/world.ts";

/** What goes wrong between the client and real servers that misbehave: each has its own error, and none holds the key. */

const apiKey = "key+7f/3e9b=21c8";
const path = "/api/v0/organization/users";
const tag = (body: unknown) => answer(200, { "content-type": "application/json" }, JSON.stringify(body));
const end = { hasMore: false };
const page = tag({ users: [{ id: "u1" }], pagination: end });
const fails = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  answer(status, headers, JSON.stringify(body));

async function serve(behaviour: Behaviour) {
  const paths = [
    "/api/v0/sessions",
    "/api/v0/computers/c1",
    "/api/v0/computers/c1/install-deps",
    "/api/v1/analytics/activity",
  ];
  const server = await startHostileServer(Object.fromEntries([path, ...paths].map((one) => [one, behaviour])));
  onTestFinished(() => server.close());
  return server;
}

/** All that anybody could print of an error. */
function textsOf(error: unknown): string {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null; at = (at as Error).cause) chain.push(at);
  const fields = chain.flatMap((one) =>
    Reflect.ownKeys(one as object).map((name) => inspect(Reflect.get(one as object, name))),
  );
  const printed = [
    String(error),
    JSON.stringify(error),
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
  ];
  return [
    ...chain.map((one) => (one as Error).stack),
    ...chain.map((one) => (one as Error).message),
    ...printed,
    ...fields,
  ].join("\n");
}

function expectNoSecret(error: unknown, ...more: readonly string[]): void {
  const texts = textsOf(error);
  for (const secret of [apiKey, jwt, ...Object.values(keys), ...more]) {
    for (const form of [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    ]) {
      expect(texts).not.toContain(form);
    }
  }
  expect(texts).not.toContain("Bearer");
}

const credentials: readonly (readonly [string, Credentials])[] = [
  ["an API key", { apiKey }],
  ["a JWT", { jwt }],
];

type Options = Partial<ServiceClientOptions>;
const withKey = (origin: string, given: Credentials = { apiKey }, options: Options = {}) =>
  new ServiceClient({
    baseUrl: origin,
    appUrl: origin,
    ...given,
    sleep: () => Promise.resolve(),
    ...options,
  } as ServiceClientOptions);

type Row = readonly [
  title: string,
  behaviour: Behaviour,
  error: object,
  says: RegExp,
  requests: number,
  options?: Options,
];
/** Repeats the key in every form it could come back in. */
const echo: Behaviour = (request, response) => {
  const bearer = request.headers.authorization?.replace("Bearer ", "") ?? "";
  const forms = `${bearer} ${encodeURIComponent(bearer)} ${Buffer.from(bearer).toString("base64")}`;
  fails(
    400,
    { title: forms, detail: `you sent ${forms}`, requestId: bearer },
    { "x-request-id": bearer },
  )(request, response);
};
const replies: readonly Row[] = [
  [
    "401",
    fails(401, { title: "Unauthorized", detail: "No." }),
    { name: "AuthenticationError", reason: "auth", status: 401, detail: "No." },
    /answered 401$/,
    1,
  ],
  ["403", fails(403), { name: "PermissionError", reason: "auth", status: 403 }, /answered 403$/, 1],
  ["404", fails(404), { name: "NotFoundError", reason: "rejected", status: 404 }, /answered 404$/, 1],
  ["400", fails(400), { name: "BadRequestError", reason: "rejected", status: 400 }, /answered 400$/, 1],
  ["418", fails(418), { name: "ServiceError", reason: "rejected", status: 418 }, /answered 418$/, 1],
  [
    "429",
    fails(429, {}, { "retry-after": "2" }),
    { name: "RateLimitError", reason: "rate-limited", status: 429, retryAfterMs: 2000 },
    /answered 429$/,
    3,
  ],
  [
    "500",
    fails(500, { requestId: "req_9" }),
    { name: "ServerError", reason: "unavailable", status: 500, requestId: "req_9" },
    /answered 500$/,
    3,
  ],
  ["503 with a page", answer(503, {}, "<h1>Down</h1>"), { name: "ServerError", status: 503 }, /answered 503$/, 3],
  [
    "the request's id in a header alone",
    fails(500, {}, { "x-request-id": "abc" }),
    { requestId: "abc" },
    /answered 500$/,
    3,
  ],
  [
    "error fields of other types",
    fails(400, { title: 7, detail: { a: 1 }, requestId: null }),
    { name: "BadRequestError" },
    /answered 400$/,
    1,
  ],
  [
    "an error whose body never ends",
    endlessBody(500),
    { name: "ServerError" },
    /answered 500$/,
    3,
    { maxReplyBytes: 1000 },
  ],
  ["an error that repeats what was sent", echo, { name: "BadRequestError" }, /answered 400$/, 1],
  [
    "an error with escape sequences",
    fails(400, { detail: "\u001b[31mred\nand\u202e more" }),
    { detail: "red and more" },
    /answered 400$/,
    1,
  ],
  ["a long error", fails(400, { detail: "x".repeat(5000) }), { detail: "x".repeat(500) }, /answered 400$/, 1],
  ["garbage", garbage, { name: "ConnectionError", reason: "unavailable" }, /cannot be reached \(HPE_/, 3],
  [
    "a page of HTML",
    htmlPage,
    { name: "ParseError", reason: "rejected", status: 200 },
    /gave a web page instead of JSON$/,
    1,
  ],
  ["text", answer(200, {}, "ok"), { name: "ParseError" }, /gave a reply that is not JSON$/, 1],
  ["nothing", answer(200, {}, ""), { name: "ParseError" }, /gave an empty reply$/, 1],
  ["no content", answer(204), { name: "ParseError", status: 204 }, /gave an empty reply$/, 1],
  ["compressed nonsense", gzipBomb, { name: "ParseError" }, /gave a reply that is not JSON$/, 1],
  [
    "a cut body",
    cutBody,
    { name: "ConnectionError", reason: "unavailable" },
    /broke off in the middle of its reply$/,
    3,
  ],
  ["half a JSON text", answer(200, {}, '{"users":['), { name: "ParseError" }, /gave a reply that is not JSON$/, 1],
  [
    "a body without end",
    endlessBody(),
    { name: "ParseError" },
    /gave more than 1000 bytes$/,
    1,
    { maxReplyBytes: 1000 },
  ],
  [
    "headers without measure",
    hugeHeaders,
    { name: "ConnectionError" },
    /cannot be reached \(HPE_HEADER_OVERFLOW\)$/,
    3,
  ],
  ["a reset", reset, { name: "ConnectionError" }, /cannot be reached \(ECONNRESET\)$/, 3],
  ["no answer at all", hangUp, { name: "ConnectionError" }, /cannot be reached/, 3],
  ["another protocol", upgrade, { name: "ConnectionError" }, /cannot be reached/, 3],
  ["silence", silence, { name: "TimeoutError", reason: "timeout" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  ["headers byte by byte", slowHeaders, { name: "TimeoutError" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  ["a body byte by byte", slowBody(), { name: "TimeoutError" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  [
    "a list that is none",
    tag({ users: {}, pagination: end }),
    { name: "ParseError" },
    /not the interface's, at users: /,
    1,
  ],
  ["no list", tag({ pagination: end }), { name: "ParseError" }, /at users: /, 1],
  ["an array", tag([]), { name: "ParseError" }, /at the whole: /, 1],
  ["null", tag(null), { name: "ParseError" }, /at the whole: /, 1],
  [
    "a known field of another type",
    tag({ users: [{ id: "u" }, { id: "u", email: 7 }], pagination: end }),
    { name: "ParseError" },
    /at users\[1\]\.email: /,
    1,
  ],
  [
    "a required field that is missing",
    tag({ users: [{}], pagination: end }),
    { name: "ParseError" },
    /at users\[0\]\.id: /,
    1,
  ],
  ["no pagination", tag({ users: [] }), { name: "ParseError" }, /at pagination: /, 1],
];

const rows = replies.map((row) => [row[0], row] as const);

describe.each(credentials)("with %s, the client's error for", (_, given) => {
  it.each(rows)("%s is clear, and holds no secret", async (_title, [, behaviour, error, says, requests, options]) => {
    const server = await serve(behaviour);
    const thrown = await failureOf(withKey(server.origin, given, options).users.list().page());
    expect(thrown).toBeInstanceOf(ServiceError);
    expect(thrown).toMatchObject(error);
    expect((thrown as Error).message).toMatch(says);
    expect((thrown as Error).message.startsWith(`${server.origin} `)).toBe(true);
    expect(server.requests).toHaveLength(requests);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${given.apiKey ?? given.jwt}`);
    expectNoSecret(thrown);
  });

  it("a refused connection is clear, and holds no secret", async () => {
    const server = await startHostileServer();
    await server.close();
    const thrown = await failureOf(withKey(server.origin, given).users.list().page());
    expect(thrown).toMatchObject({
      name: "ConnectionError",
      message: `${server.origin} cannot be reached (ECONNREFUSED)`,
    });
    expectNoSecret(thrown);
  });

  it.each([301, 302, 303, 307, 308])(
    "a redirect with %s to another host is clear, and that host hears nothing",
    async (status) => {
      const elsewhere = await startHostileServer({ "/stolen": page });
      onTestFinished(() => elsewhere.close());
      const server = await serve(answer(status, { location: `${elsewhere.origin}/stolen` }));
      for (const ask of [
        (client: ServiceClient) => client.users.list().page(),
        (client: ServiceClient) => client.computers.installDeps("c1"),
      ]) {
        const thrown = await failureOf(ask(withKey(server.origin, given)));
        expect(thrown).toMatchObject({
          name: "RedirectError",
          reason: "redirect",
          status,
          hint: expect.stringContaining("`baseUrl`"),
        });
        expect((thrown as Error).message).toBe(`${server.origin} redirects, and redirects are not followed`);
        expectNoSecret(thrown);
      }
      expect([server.requests.length, elsewhere.requests.length, elsewhere.open.size]).toEqual([2, 0, 0]);
    },
  );
});

describe("against the service, the error for", () => {
  it.each([
    ["a wrong key", "AuthenticationError", 401, { apiKey: "wrong-key-5521" }, {}, 1],
    ["a member's key", "PermissionError", 403, { apiKey: keys.member }, {}, 1],
    ["a JWT where only keys are taken", "AuthenticationError", 401, { jwt }, {}, 1],
    ["today's date", "ArgumentError", undefined, {}, { endDate: "2026-06-15" }, 0],
    ["a limit of 0", "ArgumentError", undefined, {}, { limit: 0 }, 0],
    ["a limit of 101", "ArgumentError", undefined, {}, { limit: 101 }, 0],
  ])("%s is %s", async (_, name, status, options, query, requests) => {
    const sandbox = await openSandbox();
    const thrown = await failureOf(
      clientOf(sandbox, options)
        .analytics.users({ ...lastDay, ...query })
        .page(),
    );
    expect(thrown).toMatchObject({ name, ...(status !== undefined && { status, hint: expect.any(String) }) });
    expect(sandbox.seen).toHaveLength(requests);
    expectNoSecret(thrown, "wrong-key-5521");
  });
});

describe("a client that cannot be", () => {
  const good = { baseUrl: "https://api.example.com", apiKey };
  it.each([
    ["without a key", { apiKey: undefined }, "apiKey", "either `apiKey` or `jwt` must be given"],
    ["with a key and a JWT", { jwt }, "apiKey", "either `apiKey` or `jwt` must be given"],
    ["with a key of two lines", { apiKey: `${apiKey}\nx: y` }, "apiKey", "must be printable ASCII without spaces"],
    ["with an empty key", { apiKey: "" }, "apiKey", "must be printable ASCII without spaces"],
    [
      "with an address that is not encrypted",
      { baseUrl: "http://api.example.com" },
      "baseUrl",
      "must be an https:// address",
    ],
    [
      "with a password in its address",
      { appUrl: `https://me:${apiKey}@app.example.com` },
      "appUrl",
      "must be an https:// address",
    ],
  ])("%s is refused", async (_, options, parameter, says) => {
    const thrown = await failureOf((async () => new ServiceClient({ ...good, ...options } as ServiceClientOptions))());
    expect(thrown).toMatchObject({ name: "ArgumentError", parameter, message: expect.stringContaining(says) });
    expectNoSecret(thrown);
  });

  it("tells nobody its key", () => {
    const client = new ServiceClient({ ...good, appUrl: "https://app.example.com" });
    for (const one of [client, client.analytics, client.users.list()]) {
      expect(inspect(one, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + JSON.stringify(one)).not.toContain(
        apiKey,
      );
    }
  });

  it("asks for no reports without `appUrl`", async () => {
    const thrown = await failureOf(new ServiceClient(good).readiness.reports().page());
    expect(thrown).toMatchObject({ name: "ArgumentError", parameter: "appUrl" });
  });
});

describe("a GET", () => {
  const later = fails(429, {}, { "retry-after": "1" });

  it("waits as long as Retry-After says, and then is asked again", async () => {
    const server = await serve(inTurn(later, page));
    const client = new ServiceClient({ baseUrl: server.origin, apiKey });
    expect((await client.users.list().page()).items).toEqual([{ id: "u1" }]);
    const [first, second] = server.requests;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThan(3000);
  });

  it.each([
    ["of Retry-After", fails(503, {}, { "retry-after": "7" }), [7000, 7000]],
    ["of half a second, doubled each time, without it", fails(503), [500, 1000]],
    ["after a connection that broke", reset, [500, 1000]],
  ])("makes pauses %s", async (_, behaviour, expected) => {
    const server = await serve(behaviour);
    const pauses: number[] = [];
    const sleep = async (ms: number) => void pauses.push(ms);
    await failureOf(withKey(server.origin, { apiKey }, { sleep }).users.list().page());
    expect(pauses).toEqual(expected);
  });

  it.each([
    [
      "a date in Retry-After",
      inTurn(fails(429, {}, { "retry-after": new Date(Date.now() + 2000).toUTCString() }), page),
    ],
    ["two failures", inTurn(fails(500), reset, page)],
    ["a cut body", inTurn(cutBody, page)],
  ])("gets what it wants after %s", async (_, behaviour) => {
    const server = await serve(behaviour);
    expect((await withKey(server.origin).users.list().page()).items).toHaveLength(1);
  });

  it("is not asked again where the pause would pass its deadline", async () => {
    const server = await serve(fails(429, {}, { "retry-after": "3600" }));
    const startedAt = performance.now();
    const client = new ServiceClient({ baseUrl: server.origin, apiKey, timeoutMs: 5000 });
    expect(await failureOf(client.users.list().page())).toMatchObject({
      name: "RateLimitError",
      retryAfterMs: 3_600_000,
    });
    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect(server.requests).toHaveLength(1);
  });

  it("keeps its deadline over all attempts together", async () => {
    const server = await serve(inTurn(fails(500), silence));
    const startedAt = performance.now();
    const client = new ServiceClient({ baseUrl: server.origin, apiKey });
    expect(await failureOf(client.users.list({}, { timeoutMs: 800 }).page())).toMatchObject({ name: "TimeoutError" });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(790);
    expect(performance.now() - startedAt).toBeLessThan(2500);
    expect(server.requests).toHaveLength(2);
  });
});

describe("what changes something", () => {
  const verbs: readonly (readonly [string, (client: ServiceClient) => Promise<unknown>])[] = [
    ["sessions.create", (client) => client.sessions.create({ computerId: "c1" })],
    ["computers.update", (client) => client.computers.update("c1", { name: "n" })],
    ["computers.installDeps", (client) => client.computers.installDeps("c1")],
  ];
  const failures: readonly (readonly [string, Behaviour, string])[] = [
    ["429", fails(429, {}, { "retry-after": "1" }), "RateLimitError"],
    ["500", fails(500), "ServerError"],
    ["503", fails(503, {}, { "retry-after": "1" }), "ServerError"],
    ["a reset", reset, "ConnectionError"],
    ["no answer", hangUp, "ConnectionError"],
    ["a cut body", cutBody, "ConnectionError"],
    ["silence", silence, "TimeoutError"],
    ["a page of HTML", htmlPage, "ParseError"],
  ];
  it.each(verbs.flatMap(([verb, ask]) => failures.map((failure) => [verb, ...failure, ask] as const)))(
    "%s is sent once, whatever comes: %s",
    async (_, _what, behaviour, name, ask) => {
      const server = await serve(behaviour);
      // A short deadline would leave no time for the second attempt that must not be.
      const options = behaviour === silence ? { timeoutMs: 300 } : {};
      const thrown = await failureOf(ask(withKey(server.origin, { apiKey }, options)));
      expect(thrown).toMatchObject({ name });
      if (/Connection|Timeout/.test(name))
        expect(thrown).toMatchObject({ hint: expect.stringContaining("look before you repeat") });
      expect(server.requests).toHaveLength(1);
      expectNoSecret(thrown);
    },
  );
});

describe("a caller's signal", () => {
  it("that has gone off already lets nothing out", async () => {
    const server = await serve(page);
    const thrown = await failureOf(
      withKey(server.origin)
        .users.list({}, { signal: AbortSignal.abort(new Error(apiKey)) })
        .page(),
    );
    expect(thrown).toMatchObject({
      name: "AbortError",
      reason: "timeout",
      message: `the call to ${server.origin} was ended by its caller`,
    });
    expect([server.requests.length, server.open.size]).toEqual([0, 0]);
    expectNoSecret(thrown);
  });

  it.each([
    ["waits for an answer", silence],
    ["reads a body", slowBody()],
  ])("ends a call that %s, at once, and its connection", async (_, behaviour) => {
    const server = await serve(behaviour);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error(apiKey)), 100);
    const thrown = await failureOf(withKey(server.origin).users.list({}, { signal: controller.signal }).page());
    expect(thrown).toMatchObject({ name: "AbortError" });
    expectNoSecret(thrown);
    await expect.poll(() => server.open.size).toBe(0);
  });

  it("ends a pause between attempts", async () => {
    const server = await serve(fails(429, {}, { "retry-after": "20" }));
    const startedAt = performance.now();
    const client = new ServiceClient({ baseUrl: server.origin, apiKey });
    const thrown = await failureOf(client.users.list({}, { signal: AbortSignal.timeout(200) }).page());
    // A signal of `AbortSignal.timeout` is a deadline of the caller's.
    expect(thrown).toMatchObject({ name: "TimeoutError" });
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(server.requests).toHaveLength(1);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("and a `timeoutMs` of %s is refused", async (timeoutMs) => {
    const server = await serve(page);
    const thrown = await failureOf(withKey(server.origin).users.list({}, { timeoutMs }).page());
    expect(thrown).toMatchObject({ name: "ArgumentError", parameter: "timeoutMs" });
    expect(server.requests).toHaveLength(0);
  });
});

describe("a reply with more than the document names", () => {
  it("keeps unknown fields and unknown values of enumerations", async () => {
    const row = { sessionId: "s", status: "dreaming", brandNew: { deep: [1, null] } };
    const reply = { sessions: [row], pagination: { hasMore: false, total: 7 }, took: "3ms" };
    const server = await serve(tag(reply));
    const got = await withKey(server.origin).sessions.list().page();
    expect(got).toEqual({ ...reply, items: [row], next: undefined });
  });
});

it("a field's name that holds the key is not told as it is", async () => {
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
  const server = await serve(tag({ data: [row], meta: { org_id: "o", start_date: "d", end_date: "d" } }));
  const days = { startDate: "2026-06-14", endDate: "2026-06-14" };
  const thrown = await failureOf(withKey(server.origin).analytics.activity(days).page());
  expect(thrown).toMatchObject({ name: "ParseError", message: expect.stringContaining("[secret]") });
  expectNoSecret(thrown);
});

describe("a key that comes back in another form is not shown", () => {
  it.each([
    ["quoted as in JSON", 'key"7f\\3e9b21c8', (key: string) => JSON.stringify(key).slice(1, -1)],
    ["with its header, in base64", apiKey, (key: string) => Buffer.from(`Bearer ${key}`).toString("base64")],
    ["shorter than any key", "wrong", (key: string) => key],
  ])("%s", async (_, key, formOf) => {
    const form = formOf(key);
    const server = await serve(fails(401, { title: form, detail: `you sent ${form}.`, requestId: form }));
    const thrown = await failureOf(withKey(server.origin, { apiKey: key }).users.list().page());
    expect(thrown).toMatchObject({ name: "AuthenticationError", detail: expect.stringContaining("[secret]") });
    expect(textsOf(thrown)).not.toContain(form);
  });

  it("as the name of a field", async () => {
    const key = 'key"7f\\3e9b21c8';
    const report = { reportId: "r", createdAt: 1, repoUrl: "u", apps: { [key]: { description: 1 } }, report: {} };
    const server = await startHostileServer({
      "/api/organization/maturity-level-reports": tag({ reports: [report] }),
    });
    onTestFinished(() => server.close());
    const thrown = await failureOf(withKey(server.origin, { apiKey: key }).readiness.reports().page());
    expect(thrown).toMatchObject({ name: "ParseError" });
    expect(textsOf(thrown)).not.toContain("7f");
  });
});

it("a reply that begins with a byte order mark is read", async () => {
  const server = await serve(answer(200, {}, `\ufeff${JSON.stringify({ users: [{ id: "u1" }], pagination: end })}`));
  expect((await withKey(server.origin).users.list().page()).items).toEqual([{ id: "u1" }]);
});

it.each([
  [{ detail: "limit is odd" }, "`detail` says what the service does not take."],
  [{}, "The service does not say what it does not take."],
])("the hint of a 400 with %j says where to look", async (body, hint) => {
  const server = await serve(fails(400, body));
  expect(await failureOf(withKey(server.origin).users.list().page())).toMatchObject({ hint });
});

it("arguments that are not there at all are refused as any others", async () => {
  const { analytics } = withKey("https://api.example.com");
  for (const verb of ["tokens", "tools", "activity", "productivity", "users"] as const) {
    const list = (analytics[verb] as unknown as () => { page(): Promise<unknown> }).call(analytics);
    const thrown = await failureOf(list.page());
    expect(thrown).toMatchObject({ name: "ArgumentError", message: "`startDate` is missing" });
  }
});
