import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../src/core/vocabulary.ts";
import { createPorts } from "../../src/io/ports.ts";
import { matrix } from "../../src/notifiers/matrix.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { makeConfig } from "../world/delivery-world.ts";
import { answerJson } from "../world/hostile-server.ts";
import { configuredFor, event } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReplies, updateAt } from "./contract/describe-replies.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";
import { canary } from "./contract/notifier-case.ts";
import { startMatrixServer } from "./matrix-server.ts";

const settings = (server: string) => ({ server, token: canary, roomId: "!a/b:example.org" });
const sendPath = "/_matrix/client/v3/rooms/!a%2Fb%3Aexample.org/send/m.room.message";

describeHttpNotifier(matrix, {
  settings,
  success: answerJson(200, { event_id: "$x" }),
  rejections: [
    [
      "too fast, as of old",
      answerJson(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2500 }),
      { reason: "rate-limited", waitMs: 2_500 },
    ],
    [
      "too fast, in both ways",
      answerJson(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2500 }, { "retry-after": "3" }),
      { reason: "rate-limited", waitMs: 3_000 },
    ],
    ["a wrong token", answerJson(401, { errcode: "M_UNKNOWN_TOKEN" }), "auth"],
    ["a room that the user is not in", answerJson(403, { errcode: "M_FORBIDDEN" }), "auth"],
    ["an event that is too large", answerJson(413, { errcode: "M_TOO_LARGE" }), "rejected"],
    ["a success without an event", answerJson(200, {}), "unavailable"],
  ],
  read({ body }, { title }) {
    const { body: text } = JSON.parse(body);
    return { title: text.slice(0, title.length), body: text.slice(title.length + 1) };
  },
  valid({ body, path, headers }) {
    expect([`${sendPath}/evt-1`, `${sendPath}/evt-1-fallback`]).toContain(path);
    expect(headers["authorization"]).toBe(`Bearer ${canary}`);
    // Servers add ids, hashes and signatures to the event, some 4 kB.
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536 - 6_000);
    const { body: text, ...rest } = JSON.parse(body);
    expect(text).not.toBe("");
    expect(rest).toEqual({ msgtype: "m.text", "m.mentions": {} });
  },
  mentions: ["@room @alice:example.org <a href='https://matrix.to/#/@alice:example.org'>a</a>"],
});

const sent = { eventId: "$first", roomId: "!old:example.org" };
describeChanges(matrix, {
  start: startMatrixServer,
  withdrawn: "done",
  refusal: "auth",
  foreign: [{}, { eventId: "$a" }, { eventId: "a", roomId: "!a:b" }, { eventId: "$a b", roomId: "!a:b" }],
});

const says = (status: number, body: object) =>
  [`${status}, ${JSON.stringify(body)}`, answerJson(status, body)] as const;
describeReplies(matrix, {
  settings,
  receipt: sent,
  final: [
    says(404, { errcode: "M_NOT_FOUND", error: "Event not found." }),
    says(400, { errcode: "M_UNKNOWN", error: "Can't send relation to unknown event" }),
  ],
  failures: [
    [...says(404, { errcode: "M_UNRECOGNIZED" }), "auth"],
    [...says(403, { errcode: "M_FORBIDDEN" }), "auth"],
    [...says(400, { errcode: "M_UNKNOWN", error: "Relations must be in the same room" }), "rejected"],
    [...says(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2500 }), "rate-limited"],
  ],
});

const edited = { receipt: sent, reply: answerJson(200, { event_id: "$edit" }) };

test("a message is edited in its own room by a related event without mentions", async () => {
  const [asked] = await updateAt(matrix, settings, edited);
  expect(asked?.path).toMatch(
    /^\/_matrix\/client\/v3\/rooms\/!old%3Aexample\.org\/send\/m\.room\.message\/%24first-\d+$/,
  );
  expect(JSON.parse(asked?.body ?? "")).toMatchObject({
    body: "* shop needs you",
    "m.mentions": {},
    "m.new_content": { msgtype: "m.text", body: expect.stringMatching(/^shop needs you\n/), "m.mentions": {} },
    "m.relates_to": { rel_type: "m.replace", event_id: "$first" },
  });
});

test("every edit, and its fallback form, is a separate transaction", async () => {
  const ports = createPorts();
  const clockAt = (nowMs: number) => ({ ports: { ...ports, clock: { ...ports.clock, now: () => nowMs } } });
  const attempts = [clockAt(1), clockAt(2), { ...clockAt(2), isFallback: true }];
  const requests = await Promise.all(attempts.map((more) => updateAt(matrix, settings, { ...edited, ...more })));
  const paths = requests.flat().map(({ path }) => path.split("/").at(-1));
  expect(paths).toEqual(["%24first-1", "%24first-2", "%24first-2-fallback"]);
});

describeProbe(matrix, {
  settings,
  asks: { method: "GET", path: "/_matrix/client/v3/account/whoami" },
  success: answerJson(200, { user_id: "@bot:example.org", is_guest: false }),
});

const room = { server: "https://a.example", token: "t", roomId: "!a:b" };

test("every kind is a text, but `info` a notice", () => {
  expect(makeRequest(matrix, room).method).toBe("PUT");
  const payloads = kinds.map((kind) => makePayload(matrix, room, { message: { body: "", kind } }));
  expect(payloads.map(({ body }) => body)).toEqual(["t", "t", "t", "t"]);
  const types = payloads.map(({ msgtype }, index) => [kinds[index], msgtype]);
  const expected = { "needs-you": "m.text", failed: "m.text", finished: "m.text", info: "m.notice" };
  expect(Object.fromEntries(types)).toEqual(expected);
});

test("attempts share the event's transaction id, and the fallback has a different one", () => {
  const message = { id: "e" };
  expect(makeRequest(matrix, room, { message }).url).toMatch(/\/e$/);
  expect(makeRequest(matrix, room, { message, isFallback: true }).url).toMatch(/\/e-fallback$/);
});

test("a repeat of an event below the visible message is a separate message", async () => {
  const server = await startMatrixServer();
  onTestFinished(() => server.close());
  const configured = await configuredFor(matrix, server.settings);
  const context = { config: await makeConfig({}), ports: createPorts(), keepSecret() {} };
  const send = (step?: number) =>
    attempt({ event, facts: {}, configured, thread: { key: "0".repeat(32) }, ...(step && { step }) }, context);
  const { receipt: first } = await send();
  expect((await send()).receipt).toEqual(first); // its answer was lost
  const { receipt: second } = await send(1);
  expect(second).not.toEqual(first);
  expect((await send(1)).receipt).toEqual(second);
  expect(await server.listActive()).toHaveLength(2);
});

test("an alias and an empty, malformed or long id are not room ids", () => {
  const odd = ["#alias:example.org", "!", "! a:b", "!\ud800:b", `!${"x".repeat(255)}`];
  expect(odd.filter((roomId) => matrix.settings.safeParse({ ...room, roomId }).success)).toEqual([]);
});

test("a room id is one path segment", async () => {
  const check = (roomId: string) => {
    const settings = { ...room, server: "https://a.example/base", roomId };
    const { pathname, search, hash } = new URL(makeRequest(matrix, settings, { message: { id: "e" } }).url);
    const [, base, , , , , part = "", ...rest] = pathname.split("/");
    expect([base, decodeURIComponent(part), rest.join("/")]).toEqual(["base", roomId, "send/m.room.message/e"]);
    expect(search + hash).toBe("");
  };
  const rooms = ["!a/../../login:b", "!..", "!a?b#c:d", "!%2e%2e:b", "!🙂:b"];
  expect(await collectFailures(rooms, check)).toEqual([]);
});
