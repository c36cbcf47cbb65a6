import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { BeckonError } from "../../src/core/errors.ts";
import { service } from "../../src/lookups/service.ts";
import { ServiceError } from "../../src/service/error.ts";
import { eventOf, json, ports } from "./loopback.ts";
import {
  type Answer,
  apiKey,
  find,
  goodMessages,
  goodSessions,
  sessionFacts,
  sessionId,
  start,
} from "./session-service.ts";

test.each([
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
] as const)("%s is answered by the reason %s, without the key", async (_, reason, answer) => {
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

test("a rejected key is answered by the address of the page that makes keys", async () => {
  const rejected: Answer = (response) => json(response, {}, 401);
  const { origin } = await start(rejected, rejected);
  const { error } = await find(origin, {}, 5000, { appUrl: "https://app.example.com/" });
  expect(error?.hint).toContain("https://app.example.com/settings/api-keys");
});

test("the key does not follow a redirect", async () => {
  const elsewhere = await start(goodSessions, goodMessages);
  const redirect: Answer = (response) =>
    response.writeHead(307, { location: `${elsewhere.origin}/api/v0/sessions` }).end();
  const { origin } = await start(redirect, redirect);
  expect((await find(origin)).error).toMatchObject({ reason: "redirect" });
  expect(elsewhere.requests).toEqual([]);
});

test.each(["", ".", ".."])("nothing is asked for the session id %j", async (hostile) => {
  const { origin, requests } = await start(goodSessions, goodMessages);
  expect(await find(origin, { sessionId: hostile })).toMatchObject({ facts: {}, reported: [] });
  expect(requests).toEqual([]);
});

test.each(["../../admin", "%2e%2e", "a?x=1", "a#f", "a b", "//evil.example", "é"])(
  "the session id %j leads to no other request",
  async (odd) => {
    const { origin, requests } = await start(goodSessions, goodMessages);
    await find(origin, { sessionId: odd });
    const paths = requests.map(({ url }) => url.pathname).sort();
    expect(paths).toEqual(["/api/v0/sessions", `/api/v0/sessions/${encodeURIComponent(odd)}/messages`]);
  },
);

test("nothing is asked without settings or without a session id", async () => {
  const call = { ports, signal: AbortSignal.timeout(100) };
  expect(await service.find({ ...call, event: eventOf({ sessionId }), settings: undefined })).toEqual({});
  const settings = { baseUrl: "http://127.0.0.1:9", apiKey };
  expect(await service.find({ ...call, event: eventOf({}), settings })).toEqual({});
});

test.each(["http://127.0.0.1//evil.example", "no address", "http://127.0.0.1/\\\\evil.example"])(
  "the key is sent nowhere for the base address %j",
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
