import { expect, test } from "vitest";
import { json } from "./loopback.ts";
import {
  type Answer,
  apiKey,
  find,
  goodMessages,
  goodSessions,
  message,
  others,
  session,
  sessionFacts,
  sessionId,
  start,
} from "./session-service.ts";

test("the lookup asks for the session and its assistant's messages, with the key", async () => {
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

test("the base address's path is kept", async () => {
  const { origin, requests } = await start(goodSessions, goodMessages);
  expect((await find(`${origin}/proxy/`)).facts).toMatchObject({ title: "fix the login" });
  expect(requests.every(({ url }) => url.pathname.startsWith("/proxy/api/v0/sessions"))).toBe(true);
});

test("a session on the second page is found", async () => {
  const paged: Answer = (response, cursor) =>
    cursor === "a&b=c"
      ? goodSessions(response, null)
      : json(response, { sessions: others(100), pagination: { hasMore: true, nextCursor: "a&b=c" } });
  const { origin } = await start(paged, goodMessages);
  expect((await find(origin)).facts).toMatchObject(sessionFacts);
});

test("an endless list is given up after a few pages", async () => {
  const endless: Answer = (response, cursor) =>
    json(response, { sessions: others(2), pagination: { hasMore: true, nextCursor: `${cursor}+` } });
  const { origin, requests } = await start(endless, goodMessages);
  const { facts, reported } = await find(origin);
  expect(facts).toEqual({ lastMessage: "The login works again. More.", summary: "The login works again." });
  expect(reported.map(({ message }) => message)).toEqual([`${origin} does not list the session among its first 8`]);
  const sizes = requests.filter(({ url }) => url.pathname === "/api/v0/sessions");
  expect(sizes.map(({ url }) => url.searchParams.get("limit"))).toEqual(["20", "100", "100", "80"]);
});

test("a session that is among the newest needs one small page, and so does its answer", async () => {
  const { origin, requests } = await start(goodSessions, goodMessages);
  await find(origin);
  expect(requests.map(({ url }) => url.searchParams.get("limit")).sort()).toEqual(["10", "20"]);
});

test("a page that is too large is reported, and the answer is kept", async () => {
  const large: Answer = (response) => json(response, { sessions: ["x".repeat(1_100_000)], pagination: {} });
  const { origin } = await start(large, goodMessages);
  const { facts, reported } = await find(origin);
  expect(facts).toMatchObject({ summary: "The login works again." });
  expect(reported.map(({ message }) => message)).toEqual([`${origin} sent more than 1048576 bytes`]);
});

test("a title that is known stays where the session is no longer found, and only one page is looked at", async () => {
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

test("a cursor that comes again ends the list", async () => {
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
])("the newest message is taken from messages %s", async (_, pages, lastMessage) => {
  const paged: Answer = (response, cursor) => {
    const page = Number(cursor ?? 0);
    const pagination = { hasMore: page + 1 < pages.length, nextCursor: String(page + 1) };
    json(response, { messages: pages[page], pagination });
  };
  const { origin } = await start(goodSessions, paged);
  expect((await find(origin)).facts?.lastMessage).toBe(lastMessage);
});

test("messages are not asked for if the payload has the answer", async () => {
  const { origin, requests } = await start(goodSessions, goodMessages);
  expect((await find(origin, { lastMessage: "From the payload." })).facts).toEqual(sessionFacts);
  expect(requests).toHaveLength(1);
});

test("fields of the wrong type count as absent", async () => {
  const odd = { ...session, title: 7, status: null, messageCount: "many", sessionSettings: [] };
  const { origin } = await start((response) => json(response, { sessions: [odd] }), goodMessages);
  expect((await find(origin, { lastMessage: "x" })).facts).toEqual({});
});
