import { beforeEach, expect, test } from "vitest";
import type { HttpRequest, ReplyRules } from "../../../src/core/http-port.ts";
import type { CheckCall } from "../../../src/core/notifier-call.ts";
import { createPorts } from "../../../src/io/ports.ts";
import { authorizer } from "../../../src/notifiers/shared/authorize.ts";
import { answer, type HostileServer, startHostileServer } from "../../world/hostile-server.ts";

interface Settings {
  readonly user: string | undefined;
}

let server: HostileServer;
let given: number;
/** Tokens that were given and are now refused. */
let revoked: Set<string>;
let status: number;
let nowMs: number;
beforeEach(async () => {
  [given, revoked, status, nowMs] = [0, new Set(), 200, 0];
  server = await startHostileServer({
    "/token": (request, response) => {
      given += 1;
      answer(200, {}, `t${given}`)(request, response);
    },
    "*": (request, response) => {
      const token = request.headers.authorization ?? "none";
      answer(revoked.has(token) ? 401 : status, {}, token)(request, response);
    },
  });
  return () => server.close();
});

const newAuthorizer = () =>
  authorizer<Settings>({
    request: ({ user }) => (user === undefined ? undefined : { url: `${server.origin}/token`, body: user }),
    readToken: ({ body }) => ({ token: body, validMs: 3_600_000 }),
    isRefused: (reply) => reply.status === 401,
  });

function makeCall(user: string | undefined): CheckCall<Settings> {
  const ports = createPorts();
  return {
    settings: { user },
    ports: { ...ports, clock: { ...ports.clock, now: () => nowMs } },
    signal: AbortSignal.timeout(5_000),
  };
}

const post = (user: string | undefined, authorize: ReturnType<typeof newAuthorizer>, rules: ReplyRules = {}) => {
  const call = makeCall(user);
  return authorize(call)({ url: `${server.origin}/message`, body: "{}", signal: call.signal, ...rules });
};
const paths = () => server.requests.map(({ path }) => path);

test("each set of credentials has its own token, kept until a minute before it expires", async () => {
  const authorize = newAuthorizer();
  expect((await post("a", authorize)).body).toBe("Bearer t1");
  expect((await post("b", authorize)).body).toBe("Bearer t2");
  nowMs = 3_540_000 - 1;
  expect((await post("a", authorize)).body).toBe("Bearer t1");
  nowMs += 1;
  expect((await post("a", authorize)).body).toBe("Bearer t3");
});

test("settings without credentials send no token", async () => {
  expect((await post(undefined, newAuthorizer())).body).toBe("none");
  expect(given).toBe(0);
});

test("a refused token is renewed and the request repeated once", async () => {
  const authorize = newAuthorizer();
  revoked.add("Bearer t1");
  expect((await post("a", authorize)).body).toBe("Bearer t2");
  expect((await post("a", authorize)).body).toBe("Bearer t2");
  expect(paths()).toEqual(["/token", "/message", "/token", "/message", "/message"]);
});

test("a refusal of the new token is a failure, and the next request renews it again", async () => {
  const authorize = newAuthorizer();
  revoked = new Set(["Bearer t1", "Bearer t2"]);
  await expect(post("a", authorize)).rejects.toMatchObject({ reason: "auth" });
  expect(paths()).toEqual(["/token", "/message", "/token", "/message"]);
  expect((await post("a", authorize)).body).toBe("Bearer t3");
});

test("parallel requests with a refused token renew it without dropping the new one", async () => {
  const authorize = newAuthorizer();
  await post("a", authorize);
  revoked.add("Bearer t1");
  await Promise.all([post("a", authorize), post("a", authorize)]);
  const before = given;
  await post("a", authorize);
  expect(given).toBe(before);
});

test("another failure keeps the token, and the rule for missing messages still applies", async () => {
  const authorize = newAuthorizer();
  await post("a", authorize);
  status = 503;
  await expect(post("a", authorize)).rejects.toMatchObject({ reason: "unavailable" });
  const isGone: ReplyRules["isGone"] = (reply) => reply.status === 503;
  expect(await post("a", authorize, { isGone })).toMatchObject({ status: 503 });
  expect(given).toBe(1);
});

test("a token is requested with its entry's own CA and the request's rules", async () => {
  const asked: (HttpRequest & ReplyRules)[] = [];
  const call = makeCall("a");
  const http = {
    ...call.ports.http,
    post: async (request: HttpRequest & ReplyRules) => {
      asked.push(request);
      return { status: 200, headers: {}, body: "t" };
    },
  };
  const hints = { auth: "Check `user`." };
  const authorize = authorizer<Settings>({
    request: () => ({ url: "https://example.org/token" }),
    readToken: ({ body }) => ({ token: body, validMs: 0 }),
    isRefused: () => false,
    hints,
  });
  await authorize(
    { ...call, ports: { ...call.ports, http } },
    "/etc/own.pem",
  )({
    url: "https://example.org/message",
    signal: call.signal,
  });
  expect(asked[0]).toMatchObject({ url: "https://example.org/token", ca: "/etc/own.pem", hints });
  expect(asked[1]).toMatchObject({ url: "https://example.org/message", headers: { authorization: "Bearer t" } });
});
