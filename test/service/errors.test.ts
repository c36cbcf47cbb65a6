import { describe, expect, onTestFinished, test } from "vitest";
import { type Credentials, type ServiceClient, type ServiceClientOptions, ServiceError } from "../../src/service.ts";
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
  reset,
  silence,
  slowBody,
  slowHeaders,
  startHostileServer,
  upgrade,
} from "../world/hostile-server.ts";
import { jwt } from "../world/service/access.ts";
import { failureOf } from "../world/service/client.ts";
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

/** Failures of real servers that misbehave: each has its own error, and no error shows the key. */

const credentials: readonly (readonly [string, Credentials])[] = [
  ["an API key", { apiKey }],
  ["a JWT", { jwt }],
];

type Row = readonly [
  title: string,
  behaviour: Behaviour,
  error: object,
  says: RegExp,
  requests: number,
  options?: Partial<ServiceClientOptions>,
];
/** Repeats the key in every form in which it could come back. */
const echo: Behaviour = (request, response) => {
  const bearer = request.headers.authorization?.replace("Bearer ", "") ?? "";
  const forms = `${bearer} ${encodeURIComponent(bearer)} ${Buffer.from(bearer).toString("base64")}`;
  statusReply(
    400,
    { title: forms, detail: `you sent ${forms}`, requestId: bearer },
    { "x-request-id": bearer },
  )(request, response);
};
const replies: readonly Row[] = [
  [
    "401",
    statusReply(401, { title: "Unauthorized", detail: "No." }),
    { name: "AuthenticationError", reason: "auth", status: 401, detail: "No." },
    /answered 401$/,
    1,
  ],
  ["403", statusReply(403), { name: "PermissionError", reason: "auth", status: 403 }, /answered 403$/, 1],
  ["404", statusReply(404), { name: "NotFoundError", reason: "rejected", status: 404 }, /answered 404$/, 1],
  ["400", statusReply(400), { name: "BadRequestError", reason: "rejected", status: 400 }, /answered 400$/, 1],
  ["418", statusReply(418), { name: "ServiceError", reason: "rejected", status: 418 }, /answered 418$/, 1],
  [
    "429",
    statusReply(429, {}, { "retry-after": "2" }),
    { name: "RateLimitError", reason: "rate-limited", status: 429, retryAfterMs: 2000 },
    /answered 429$/,
    3,
  ],
  [
    "500",
    statusReply(500, { requestId: "req_9" }),
    { name: "ServerError", reason: "unavailable", status: 500, requestId: "req_9" },
    /answered 500$/,
    3,
  ],
  ["503 with a page", answer(503, {}, "<h1>Down</h1>"), { name: "ServerError", status: 503 }, /answered 503$/, 3],
  [
    "the request's id in a header alone",
    statusReply(500, {}, { "x-request-id": "abc" }),
    { requestId: "abc" },
    /answered 500$/,
    3,
  ],
  [
    "error fields of other types",
    statusReply(400, { title: 7, detail: { a: 1 }, requestId: null }),
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
  ["an error that repeats the request", echo, { name: "BadRequestError" }, /answered 400$/, 1],
  [
    "an error with escape sequences",
    statusReply(400, { detail: "\u001b[31mred\nand\u202e more" }),
    { detail: "red and more" },
    /answered 400$/,
    1,
  ],
  ["a long error", statusReply(400, { detail: "x".repeat(5000) }), { detail: "x".repeat(500) }, /answered 400$/, 1],
  ["garbage", garbage, { name: "ConnectionError", reason: "unavailable" }, /cannot be reached \(HPE_/, 3],
  [
    "a page of HTML",
    htmlPage,
    { name: "ParseError", reason: "rejected", status: 200 },
    /sent a web page instead of JSON$/,
    1,
  ],
  ["text", answer(200, {}, "ok"), { name: "ParseError" }, /sent a reply that is not JSON$/, 1],
  ["nothing", answer(200, {}, ""), { name: "ParseError" }, /sent an empty reply$/, 1],
  ["no content", answer(204), { name: "ParseError", status: 204 }, /sent an empty reply$/, 1],
  ["compressed nonsense", gzipBomb, { name: "ParseError" }, /sent a reply that is not JSON$/, 1],
  [
    "a cut body",
    cutBody,
    { name: "ConnectionError", reason: "unavailable" },
    /broke off in the middle of its reply$/,
    3,
  ],
  ["half a JSON text", answer(200, {}, '{"users":['), { name: "ParseError" }, /sent a reply that is not JSON$/, 1],
  ["an endless body", endlessBody(), { name: "ParseError" }, /sent more than 1000 bytes$/, 1, { maxReplyBytes: 1000 }],
  ["endless headers", hugeHeaders, { name: "ConnectionError" }, /cannot be reached \(HPE_HEADER_OVERFLOW\)$/, 3],
  ["a reset", reset, { name: "ConnectionError" }, /cannot be reached \(ECONNRESET\)$/, 3],
  ["no answer at all", hangUp, { name: "ConnectionError" }, /cannot be reached/, 3],
  ["another protocol", upgrade, { name: "ConnectionError" }, /cannot be reached/, 3],
  ["silence", silence, { name: "TimeoutError", reason: "timeout" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  ["headers byte by byte", slowHeaders, { name: "TimeoutError" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  ["a body byte by byte", slowBody(), { name: "TimeoutError" }, /did not answer in time$/, 1, { timeoutMs: 150 }],
  [
    "an object in place of a list",
    jsonReply({ users: {}, pagination: lastPage }),
    { name: "ParseError" },
    /does not match the API, at users: /,
    1,
  ],
  ["no list", jsonReply({ pagination: lastPage }), { name: "ParseError" }, /at users: /, 1],
  ["an array", jsonReply([]), { name: "ParseError" }, /at the top level: /, 1],
  ["null", jsonReply(null), { name: "ParseError" }, /at the top level: /, 1],
  [
    "a known field of another type",
    jsonReply({ users: [{ id: "u" }, { id: "u", email: 7 }], pagination: lastPage }),
    { name: "ParseError" },
    /at users\[1\]\.email: /,
    1,
  ],
  [
    "a required field that is missing",
    jsonReply({ users: [{}], pagination: lastPage }),
    { name: "ParseError" },
    /at users\[0\]\.id: /,
    1,
  ],
  ["no pagination", jsonReply({ users: [] }), { name: "ParseError" }, /at pagination: /, 1],
];

const rows = replies.map((row) => [row[0], row] as const);

describe.each(credentials)("with %s, the client's error for", (_, own) => {
  test.each(rows)(
    "%s is specific, and shows no secret",
    async (_title, [, behaviour, error, says, requests, options]) => {
      const server = await startHostileService(behaviour);
      const thrown = await failureOf(hostileClient(server.origin, own, options).users.list().page());
      expect(thrown).toBeInstanceOf(ServiceError);
      expect(thrown).toMatchObject(error);
      expect((thrown as Error).message).toMatch(says);
      expect((thrown as Error).message.startsWith(`${server.origin} `)).toBe(true);
      expect(server.requests).toHaveLength(requests);
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${own.apiKey ?? own.jwt}`);
      expectNoSecret(thrown);
    },
  );

  test("a refused connection is specific, and shows no secret", async () => {
    const server = await startHostileServer();
    await server.close();
    const thrown = await failureOf(hostileClient(server.origin, own).users.list().page());
    expect(thrown).toMatchObject({
      name: "ConnectionError",
      message: `${server.origin} cannot be reached (ECONNREFUSED)`,
    });
    expectNoSecret(thrown);
  });

  test.each([301, 302, 303, 307, 308])(
    "a redirect with %s to another host is specific, and that host receives nothing",
    async (status) => {
      const elsewhere = await startHostileServer({ "/stolen": onePage });
      onTestFinished(() => elsewhere.close());
      const server = await startHostileService(answer(status, { location: `${elsewhere.origin}/stolen` }));
      for (const ask of [
        (client: ServiceClient) => client.users.list().page(),
        (client: ServiceClient) => client.computers.installDeps("c1"),
      ]) {
        const thrown = await failureOf(ask(hostileClient(server.origin, own)));
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
