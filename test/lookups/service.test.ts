import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { BeckonError } from "../../src/core/errors.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { service } from "../../src/lookups/service.ts";
import { ServiceError } from "../../src/service/error.ts";
import type { ServiceSettings } from "../../src/service/profile.ts";
import { json, makeEvent, ports, serve } from "./loopback.ts";

const apiKey = "key-3f9c1d7e5a";
const sessionId = "df989497-3596-425b-b5ab-1ff5be52c8e6";
/** A session as the service returns it. */
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
/** Facts that the lookup makes from `session`. */
const sessionFacts = {
  title: "fix the login",
  status: "idle",
  messageCount: 12,
  model: "model-a",
  tokens: { input: 10, output: 9, cacheRead: 8, cacheWrite: 7, thinking: 6, credits: 5 },
};
/** Makes this many unrelated sessions. */
const others = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...session, sessionId: `other-${n}`, title: "not this" }));
/** Makes a message of the assistant as the service returns it. */
const message = (createdAt: number, text: string, more: object = {}) => ({
  id: `m${createdAt}`,
  role: "assistant",
  content: [{ text, id: "c1" }],
  createdAt,
  updatedAt: createdAt,
  ...more,
});
/** Pagination of a last page. */
const end = { hasMore: false, nextCursor: "" };

/** Answers a request for a page. */
type Answer = (response: ServerResponse, cursor: string | null) => void;
const goodSessions: Answer = (response) => json(response, { sessions: [...others(3), session], pagination: end });
const goodMessages: Answer = (response) =>
  json(response, { messages: [message(2, "The login works again. More."), message(1, "older")], pagination: end });

/** Starts a service on this machine that answers requests for sessions and for messages. */
function start(sessions: Answer, messages: Answer) {
  return serve((url, response) => {
    const answer = url.pathname.endsWith("/messages") ? messages : sessions;
    answer(response, url.searchParams.get("cursor"));
  });
}

/** Runs the lookup against a service; nothing is thrown. */
async function find(
  baseUrl: string,
  fields: Partial<AgentEvent> = {},
  budgetMs = 5000,
  settings: Partial<ServiceSettings> = {},
) {
  const reported: BeckonError[] = [];
  const call = {
    event: makeEvent({ sessionId, ...fields }),
    settings: { baseUrl, apiKey, ...settings },
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

test("the lookup requests the session and its assistant's messages, with the key", async () => {
  const { origin, requests } = await start(goodSessions, goodMessages);
  const { facts, reported } = await find(origin);
  expect(facts).toEqual({
    ...sessionFacts,
    lastMessage: "The login works again. More.",
    summary: "The login works again.",
  });
  expect(reported).toEqual([]);
  // A recent session takes one small page, as does its answer.
  expect(requests.map(({ url }) => `${url.pathname} ${url.searchParams.get("limit")}`).sort()).toEqual([
    "/api/v0/sessions 20",
    `/api/v0/sessions/${sessionId}/messages 10`,
  ]);
  for (const { url, authorization } of requests) {
    expect(authorization).toBe(`Bearer ${apiKey}`);
    if (url.pathname.endsWith("/messages")) expect(url.searchParams.get("role")).toBe("assistant");
  }
});

test("a session on the second page is found", async () => {
  const paged: Answer = (response, cursor) =>
    cursor === "a&b=c"
      ? goodSessions(response, null)
      : json(response, { sessions: others(100), pagination: { hasMore: true, nextCursor: "a&b=c" } });
  const { origin } = await start(paged, goodMessages);
  expect((await find(origin)).facts).toMatchObject(sessionFacts);
});

test("an endless list is abandoned after a few pages", async () => {
  const endless: Answer = (response, cursor) =>
    json(response, { sessions: others(2), pagination: { hasMore: true, nextCursor: `${cursor}+` } });
  const { origin, requests } = await start(endless, goodMessages);
  const { facts, reported } = await find(origin);
  expect(facts).toEqual({ lastMessage: "The login works again. More.", summary: "The login works again." });
  expect(reported.map(({ message }) => message)).toEqual([`${origin} does not list the session among its first 8`]);
  const sizes = requests.filter(({ url }) => url.pathname === "/api/v0/sessions");
  expect(sizes.map(({ url }) => url.searchParams.get("limit"))).toEqual(["20", "100", "100", "80"]);
});

test("a page that is too large is reported, and the answer is kept", async () => {
  const large: Answer = (response) => json(response, { sessions: ["x".repeat(1_100_000)], pagination: {} });
  const { origin } = await start(large, goodMessages);
  const { facts, reported } = await find(origin);
  expect(facts).toMatchObject({ summary: "The login works again." });
  expect(reported.map(({ message }) => message)).toEqual([`${origin} sent more than 1048576 bytes`]);
});

test("a known title stays if the session is no longer found, and only one page is read", async () => {
  let isListed = true;
  const moved: Answer = (response) => {
    if (isListed) goodSessions(response, null);
    else json(response, { sessions: others(20), pagination: { hasMore: true, nextCursor: "next" } });
  };
  const { origin, requests } = await start(moved, goodMessages);
  expect((await find(origin, { lastMessage: "x" })).facts).toMatchObject({ title: "fix the login", status: "idle" });
  isListed = false;
  const { facts, reported } = await find(origin, { lastMessage: "x" });
  expect([facts, reported.length, requests.length]).toEqual([{ title: "fix the login" }, 1, 2]);
});

test("a repeated cursor ends the list", async () => {
  const turning: Answer = (response) =>
    json(response, { sessions: others(2), pagination: { hasMore: true, nextCursor: "same" } });
  const { origin, requests } = await start(turning, goodMessages);
  expect((await find(origin, { lastMessage: "x" })).facts).toEqual({});
  expect(requests).toHaveLength(2);
});

test.each([
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
        message(4, "The newest.", { visibility: "user_only" }),
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
    "newest first, after a page of tool calls",
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
  ["empty", [[]], undefined],
])("the newest message is taken from messages %s", async (_, pages, lastMessage) => {
  const paged: Answer = (response, cursor) => {
    const page = Number(cursor ?? 0);
    const pagination = { hasMore: page + 1 < pages.length, nextCursor: String(page + 1) };
    json(response, { messages: pages[page], pagination });
  };
  const { origin } = await start(goodSessions, paged);
  expect((await find(origin)).facts?.lastMessage).toBe(lastMessage);
});

test("messages are not requested if the payload has the answer", async () => {
  const { origin, requests } = await start(goodSessions, goodMessages);
  expect((await find(origin, { lastMessage: "From the payload." })).facts).toEqual(sessionFacts);
  expect(requests).toHaveLength(1);
});

test("fields of the wrong type count as absent", async () => {
  const odd = { ...session, title: 7, status: null, messageCount: "many", sessionSettings: [] };
  const { origin } = await start((response) => json(response, { sessions: [odd] }), goodMessages);
  expect((await find(origin, { lastMessage: "x" })).facts).toEqual({});
});

test.each([
  ["401", "auth", (response: ServerResponse) => json(response, { key: apiKey }, 401)],
  ["429", "rate-limited", (response: ServerResponse) => json(response, {}, 429)],
  ["500", "unavailable", (response: ServerResponse) => json(response, {}, 500)],
  ["garbage instead of JSON", "rejected", (response: ServerResponse) => response.end(`{"sessions": [${apiKey}`)],
  [
    "an endless reply",
    "rejected",
    (response: ServerResponse) => response.end(`{"sessions":["${"x".repeat(1_100_000)}"]}`),
  ],
  ["silence", "timeout", () => undefined],
] as const)("%s gives the reason %s, without the key", async (_, reason, answer) => {
  const { origin } = await start(answer, answer);
  const { facts, error } = await find(origin, {}, 300);
  expect(facts).toBeUndefined();
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ reason, code: reason });
  expect(everythingIn(error)).not.toContain(apiKey);
  expect(error?.message).toContain(origin);
});

test.each([
  [
    "the session",
    (response: ServerResponse) => json(response, {}, 500),
    goodMessages,
    { summary: "The login works again." },
  ],
  ["the messages", goodSessions, (response: ServerResponse) => json(response, {}, 403), sessionFacts],
  ["the messages in time", goodSessions, () => undefined, sessionFacts],
] as const)("without %s the other facts are kept, and the failure is reported", async (_, sessions, messages, kept) => {
  const { origin } = await start(sessions, messages);
  const { facts, reported } = await find(origin, {}, 300);
  expect(facts).toMatchObject(kept);
  expect(reported).toHaveLength(1);
  expect(everythingIn(reported[0])).not.toContain(apiKey);
});

test("a rejected key comes with the address of the page that makes keys", async () => {
  const rejected: Answer = (response) => json(response, {}, 401);
  const { origin } = await start(rejected, rejected);
  const { error } = await find(origin, {}, 5000, { appUrl: "https://app.example.com/" });
  expect(error?.hint).toContain("https://app.example.com/settings/api-keys");
});

test.each(["", ".", ".."])("no request is made for the session id %j", async (hostile) => {
  const { origin, requests } = await start(goodSessions, goodMessages);
  expect(await find(origin, { sessionId: hostile })).toMatchObject({ facts: {}, reported: [] });
  expect(requests).toEqual([]);
});

test("no request is made without settings or without a session id", async () => {
  const call = { ports, signal: AbortSignal.timeout(100) };
  expect(await service.find({ ...call, event: makeEvent({ sessionId }), settings: undefined })).toEqual({});
  const settings = { baseUrl: "http://127.0.0.1:9", apiKey };
  expect(await service.find({ ...call, event: makeEvent({}), settings })).toEqual({});
});

/** Collects the message, stack, cause, JSON form and logged form of an error. */
function everythingIn(error: BeckonError | undefined): string {
  return [JSON.stringify(error), error?.stack, inspect(error, { depth: 10, showHidden: true })].join("\n");
}
