import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { BeckonError } from "../../src/core/errors.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { isSecret } from "../../src/core/secret.ts";
import { service, serviceSettingsSchema } from "../../src/lookups/service.ts";
import { ServiceError } from "../../src/service/error.ts";
import { eventOf, json, ports, serve } from "./loopback.ts";

const apiKey = "key-3f9c1d7e5a";
const sessionId = "df989497-3596-425b-b5ab-1ff5be52c8e6";
const session = {
  sessionId,
  status: "idle",
  messageCount: 12,
  createdAt: 1,
  updatedAt: 2,
  title: "fix the\nlogin",
  sessionSettings: {
    model: "model-a",
    tokenUsage: {
      inputTokens: 10,
      outputTokens: 9,
      cacheReadTokens: 8,
      cacheCreationTokens: 7,
      thinkingTokens: 6,
      serviceCredits: 5,
    },
    inclusiveTokenUsage: { inputTokens: 1000 },
  },
};
const sessionFacts = {
  title: "fix the login",
  status: "idle",
  messageCount: 12,
  model: "model-a",
  tokens: { input: 10, output: 9, cacheRead: 8, cacheWrite: 7, thinking: 6, credits: 5 },
};
const others = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...session, sessionId: `other-${n}`, title: "not this" }));
const message = (createdAt: number, text: string, more: object = {}) => ({
  id: `m${createdAt}`,
  role: "assistant",
  content: [{ text, id: "c1" }],
  createdAt,
  updatedAt: createdAt,
  ...more,
});
const end = { hasMore: false, nextCursor: "" };

type Answer = (response: ServerResponse, cursor: string | null) => void;
const goodSessions: Answer = (response) => json(response, { sessions: [...others(3), session], pagination: end });
const goodMessages: Answer = (response) =>
  json(response, { messages: [message(2, "The login works again. More."), message(1, "older")], pagination: end });

function start(sessions: Answer, messages: Answer) {
  return serve((url, response) => {
    const answer = url.pathname.endsWith("/messages") ? messages : sessions;
    answer(response, url.searchParams.get("cursor"));
  });
}

async function find(baseUrl: string, fields: Partial<AgentEvent> = {}, budgetMs = 5000) {
  const reported: BeckonError[] = [];
  const call = {
    event: eventOf({ sessionId, ...fields }),
    settings: { baseUrl, apiKey },
    ports,
    signal: AbortSignal.timeout(budgetMs),
    report: (problem: BeckonError) => reported.push(problem),
  };
  const outcome = await service.find(call).then(
    (facts) => ({ facts, error: undefined }),
    (error: BeckonError) => ({ facts: undefined, error }),
  );
  return { ...outcome, reported };
}

describe("the service lookup", () => {
  it("asks for the session and its assistant's messages, with the key", async () => {
    const { origin, requests } = await start(goodSessions, goodMessages);
    const { facts, reported } = await find(origin);
    expect(facts).toEqual({
      ...sessionFacts,
      lastMessage: "The login works again. More.",
      summary: "The login works again.",
    });
    expect(reported).toEqual([]);
    expect(requests.map(({ url }) => url.pathname).sort()).toEqual([
      "/api/v0/sessions",
      `/api/v0/sessions/${sessionId}/messages`,
    ]);
    for (const { url, authorization } of requests) {
      expect(authorization).toBe(`Bearer ${apiKey}`);
      expect(Number(url.searchParams.get("limit"))).toSatisfy((limit: number) => limit >= 1 && limit <= 100);
      if (url.pathname.endsWith("/messages")) expect(url.searchParams.get("role")).toBe("assistant");
    }
  });

  it("keeps the base address's path", async () => {
    const { origin, requests } = await start(goodSessions, goodMessages);
    expect((await find(`${origin}/proxy/`)).facts).toMatchObject({ title: "fix the login" });
    expect(requests.every(({ url }) => url.pathname.startsWith("/proxy/api/v0/sessions"))).toBe(true);
  });

  it("finds a session on the second page", async () => {
    const paged: Answer = (response, cursor) =>
      cursor === "a&b=c"
        ? goodSessions(response, null)
        : json(response, { sessions: others(100), pagination: { hasMore: true, nextCursor: "a&b=c" } });
    const { origin } = await start(paged, goodMessages);
    expect((await find(origin)).facts).toMatchObject(sessionFacts);
  });

  it("gives up on an endless list after a few pages", async () => {
    const endless: Answer = (response, cursor) =>
      json(response, { sessions: others(2), pagination: { hasMore: true, nextCursor: `${cursor}+` } });
    const { origin, requests } = await start(endless, goodMessages);
    const { facts, reported } = await find(origin);
    expect(facts).toEqual({ lastMessage: "The login works again. More.", summary: "The login works again." });
    expect(reported).toEqual([]);
    expect(requests.filter(({ url }) => url.pathname === "/api/v0/sessions")).toHaveLength(3);
  });

  it("asks no more when a cursor comes again", async () => {
    const turning: Answer = (response) =>
      json(response, { sessions: others(2), pagination: { hasMore: true, nextCursor: "same" } });
    const { origin, requests } = await start(turning, goodMessages);
    expect((await find(origin, { lastMessage: "x" })).facts).toEqual({});
    expect(requests).toHaveLength(2);
  });

  it.each([
    [
      "oldest first, over pages",
      [
        [message(1, "a"), message(2, "b")],
        [message(3, "c"), message(4, "The newest.")],
      ],
      "The newest.",
    ],
    [
      "newest first, of which one page is enough",
      [[message(4, "The newest."), message(3, "c")], [message(9, "never asked for")]],
      "The newest.",
    ],
    ["in no order", [[message(2, "b"), message(4, "The newest."), message(1, "a")]], "The newest."],
    [
      "some of which the user cannot see",
      [
        [
          message(9, "x", { visibility: "llm_only" }),
          message(8, "x", { isUserVisible: false }),
          message(7, " "),
          message(6, "x", { role: "tool" }),
          message(4, "The newest."),
        ],
      ],
      "The newest.",
    ],
    [
      "some of which are broken",
      [[null, 7, { content: 1 }, message(4, "The newest."), { ...message(5, ""), content: [7] }]],
      "The newest.",
    ],
    [
      "newest first, a page of tool calls ahead",
      [
        [message(9, ""), message(8, "")],
        [message(4, "The newest."), message(3, "")],
      ],
      "The newest.",
    ],
    [
      "oldest first, too many to reach the end",
      [1, 2, 3, 4, 5].map((n) => [message(n, "old"), message(n + 0.5, "old")]),
      undefined,
    ],
    ["none at all", [[]], undefined],
  ])("takes the newest of messages listed %s", async (_, pages, lastMessage) => {
    const paged: Answer = (response, cursor) => {
      const page = Number(cursor ?? 0);
      const pagination = { hasMore: page + 1 < pages.length, nextCursor: String(page + 1) };
      json(response, { messages: pages[page], pagination });
    };
    const { origin } = await start(goodSessions, paged);
    expect((await find(origin)).facts?.lastMessage).toBe(lastMessage);
  });

  it("does not ask for messages when the payload says what was said last", async () => {
    const { origin, requests } = await start(goodSessions, goodMessages);
    expect((await find(origin, { lastMessage: "From the payload." })).facts).toEqual(sessionFacts);
    expect(requests).toHaveLength(1);
  });

  it("counts fields of the wrong type as absent", async () => {
    const odd = { ...session, title: 7, status: null, messageCount: "many", sessionSettings: [] };
    const { origin } = await start((response) => json(response, { sessions: [odd] }), goodMessages);
    expect((await find(origin, { lastMessage: "x" })).facts).toEqual({});
  });

  it.each([
    ["401", "auth", (response: ServerResponse) => json(response, { key: apiKey }, 401)],
    ["403", "auth", (response: ServerResponse) => json(response, {}, 403)],
    ["404", "rejected", (response: ServerResponse) => json(response, {}, 404)],
    ["429", "rate-limited", (response: ServerResponse) => json(response, {}, 429)],
    ["500", "unavailable", (response: ServerResponse) => json(response, {}, 500)],
    ["garbage instead of JSON", "rejected", (response: ServerResponse) => response.end(`{"sessions": [${apiKey}`)],
    ["a page of HTML", "rejected", (response: ServerResponse) => response.end(`<html>${apiKey}</html>`)],
    ["JSON of another kind", "rejected", (response: ServerResponse) => json(response, [apiKey])],
    ["an empty body", "rejected", (response: ServerResponse) => response.end()],
    [
      "a reply without end",
      "rejected",
      (response: ServerResponse) => response.end(`{"sessions":["${"x".repeat(1_100_000)}"]}`),
    ],
    ["a body that is cut off", "unavailable", cutOff],
    ["a lost connection", "unavailable", (response: ServerResponse) => response.destroy()],
    ["silence", "timeout", () => undefined],
    ["drips", "timeout", drip],
  ] as const)("answers %s with the reason %s and without the key", async (_, reason, answer) => {
    const { origin } = await start(answer, answer);
    const { facts, error } = await find(origin, {}, 300);
    expect(facts).toBeUndefined();
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ reason, code: reason });
    expect(everythingIn(error)).not.toContain(apiKey);
    expect(error?.message).toContain(origin);
  });

  it.each([
    [
      "the session",
      (response: ServerResponse) => json(response, {}, 500),
      goodMessages,
      { summary: "The login works again." },
    ],
    ["the messages", goodSessions, (response: ServerResponse) => json(response, {}, 403), sessionFacts],
    ["the messages in time", goodSessions, () => undefined, sessionFacts],
  ] as const)("keeps the rest and reports why when it cannot get %s", async (_, sessions, messages, kept) => {
    const { origin } = await start(sessions, messages);
    const { facts, reported } = await find(origin, {}, 300);
    expect(facts).toMatchObject(kept);
    expect(reported).toHaveLength(1);
    expect(everythingIn(reported[0])).not.toContain(apiKey);
  });

  it("takes the key nowhere else on a redirect", async () => {
    const elsewhere = await start(goodSessions, goodMessages);
    const redirect: Answer = (response) =>
      response.writeHead(307, { location: `${elsewhere.origin}/api/v0/sessions` }).end();
    const { origin } = await start(redirect, redirect);
    expect((await find(origin)).error).toMatchObject({ reason: "redirect" });
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([
    "..",
    "../../admin",
    "%2e%2e",
    "a/b",
    "a\\b",
    "a?x=1",
    "a#f",
    "a b",
    "a\nb",
    "//evil.example",
    "é",
    "x".repeat(129),
    "",
  ])("asks nothing about the session id %j", async (hostile) => {
    const { origin, requests } = await start(goodSessions, goodMessages);
    expect(await find(origin, { sessionId: hostile })).toMatchObject({ facts: {}, reported: [] });
    expect(requests).toEqual([]);
  });

  it("asks nothing without settings or without a session id", async () => {
    const call = { ports, signal: AbortSignal.timeout(100) };
    expect(await service.find({ ...call, event: eventOf({ sessionId }), settings: undefined })).toEqual({});
    const settings = { baseUrl: "http://127.0.0.1:9", apiKey };
    expect(await service.find({ ...call, event: eventOf({}), settings })).toEqual({});
  });

  it.each(["http://127.0.0.1//evil.example", "no address", "http://127.0.0.1/\\\\evil.example"])(
    "sends the key nowhere for the base address %j",
    async (baseUrl) => {
      const sent: string[] = [];
      const http = {
        ...ports.http,
        send: ({ url }: { url: string }) => Promise.reject(new Error(String(sent.push(url)))),
      };
      const call = { event: eventOf({ sessionId }), settings: { baseUrl, apiKey }, signal: AbortSignal.timeout(100) };
      await expect(service.find({ ...call, ports: { ...ports, http } })).rejects.toBeInstanceOf(ServiceError);
      expect(sent.filter((url) => new URL(url).host !== "127.0.0.1")).toEqual([]);
    },
  );
});

describe("the service's settings", () => {
  const good = {
    baseUrl: "https://api.example.com/x",
    apiKey: "${env:BECKON_API_KEY}",
    appUrl: "https://app.example.com",
  };

  it.each([
    ["all of them", good],
    ["no appUrl", { baseUrl: good.baseUrl, apiKey }],
    ["http on this machine", { ...good, baseUrl: "http://localhost:8080" }],
    ["http on this machine by IPv6", { ...good, baseUrl: "http://[::1]:8080" }],
  ])("take %s", (_, settings) => {
    expect(serviceSettingsSchema.safeParse(settings).success).toBe(true);
  });

  it.each([
    ["no key", { baseUrl: good.baseUrl }],
    ["http to another machine", { ...good, baseUrl: "http://api.example.com" }],
    ["http to a name that only looks like this machine", { ...good, baseUrl: "http://127.0.0.1.example.com" }],
    ["a user in the address", { ...good, baseUrl: "https://me:pass@api.example.com" }],
    ["a query in the address", { ...good, baseUrl: "https://api.example.com/?a=b" }],
    ["another protocol", { ...good, appUrl: "file:///etc/passwd" }],
    ["no address", { ...good, baseUrl: "api.example.com" }],
    ["a key with a line break", { ...good, apiKey: "a\r\nX-Evil: 1" }],
    ["an empty key", { ...good, apiKey: "" }],
  ])("refuse %s", (_, settings) => {
    expect(serviceSettingsSchema.safeParse(settings).success).toBe(false);
  });

  it("are all described, and the key is a secret", () => {
    for (const field of Object.values(serviceSettingsSchema.shape)) expect(field.description).toMatch(/\.$/);
    expect(isSecret(serviceSettingsSchema.shape.apiKey)).toBe(true);
  });
});

function cutOff(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "1000" });
  response.write('{"sessions": [', () => response.destroy());
}

function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

/** Message, stack, cause, JSON and what a log would print. */
function everythingIn(error: BeckonError | undefined): string {
  return [JSON.stringify(error), error?.stack, inspect(error, { depth: 10, showHidden: true })].join("\n");
}
