import { describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { matrix } from "../../src/notifiers/matrix.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import { configOf } from "../world/delivery-world.ts";
import { answer, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { configuredFor, event } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary } from "./contract/notifier-case.ts";
import { startMatrixServer } from "./matrix-server.ts";

const json = { "content-type": "application/json" };
const settings = (server: string) => ({ server, token: canary, roomId: "!a/b:example.org" });
const sendPath = "/_matrix/client/v3/rooms/!a%2Fb%3Aexample.org/send/m.room.message";

describeHttpNotifier(matrix, {
  settings,
  success: answer(200, json, '{"event_id":"$x"}'),
  rejections: [
    [
      "too fast, as of old",
      answer(429, json, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}'),
      { reason: "rate-limited", waitMs: 2_500 },
    ],
    [
      "too fast, in both ways",
      answer(429, { "retry-after": "3" }, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}'),
      { reason: "rate-limited", waitMs: 3_000 },
    ],
    ["a wrong token", answer(401, json, '{"errcode":"M_UNKNOWN_TOKEN"}'), { reason: "auth" }],
    ["a room that the user is not in", answer(403, json, '{"errcode":"M_FORBIDDEN"}'), { reason: "auth" }],
    ["an event that is too large", answer(413, json, '{"errcode":"M_TOO_LARGE"}'), { reason: "rejected" }],
    ["a success without an event", answer(200, json, "{}"), { reason: "unavailable" }],
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

describeChanges(matrix, { start: startMatrixServer, withdrawn: "done", refusal: "auth" });

describe("a message that was sent", () => {
  const sent = { eventId: "$first", roomId: "!old:example.org" };

  /** What is asked of a server of the test's where a message is updated that has this receipt. */
  async function update(receipt: object, reply = answer(200, json, '{"event_id":"$edit"}'), more = {}) {
    const server = await startHostileServer({ "*": reply });
    onTestFinished(() => server.close());
    const call = { ...localCall(settings(server.origin), {}), ports: createPorts(), ...more };
    await matrix.update?.({ ...call, receipt: receipt as Receipt });
    return server.requests;
  }

  test("is edited in the room it was sent to, by an event that relates to the first one and mentions nobody", async () => {
    const [asked] = await update(sent);
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

  test("is edited by another transaction each time, and in the fallback form by another one still", async () => {
    const clockAt = (nowMs: number) => ({
      ports: { ...createPorts(), clock: { ...createPorts().clock, now: () => nowMs } },
    });
    const attempts = [clockAt(1), clockAt(2), { ...clockAt(2), isFallback: true }];
    const requests = await Promise.all(attempts.map((more) => update(sent, undefined, more)));
    const paths = requests.flat().map(({ path }) => path.split("/").at(-1));
    expect(paths).toEqual(["%24first-1", "%24first-2", "%24first-2-fallback"]);
  });

  test.each([
    [404, { errcode: "M_NOT_FOUND", error: "Event not found." }],
    [400, { errcode: "M_UNKNOWN", error: "Can't send relation to unknown event" }],
  ])("needs no change where the server answers %i and %j", async (status, body) => {
    await expect(update(sent, answer(status, json, JSON.stringify(body)))).resolves.toHaveLength(1);
  });

  test.each([
    [404, { errcode: "M_UNRECOGNIZED" }, "auth"],
    [403, { errcode: "M_FORBIDDEN" }, "auth"],
    [400, { errcode: "M_UNKNOWN", error: "Relations must be in the same room" }, "rejected"],
    [429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2500 }, "rate-limited"],
  ])("is not changed where the server answers %i and %j", async (status, body, reason) => {
    await expect(update(sent, answer(status, json, JSON.stringify(body)))).rejects.toMatchObject({ reason });
  });

  test.each([{}, { eventId: "$a" }, { eventId: "a", roomId: "!a:b" }, { eventId: "$a b", roomId: "!a:b" }])(
    "and has a receipt of another form, %j, is let alone",
    async (receipt) => expect(await update(receipt)).toEqual([]),
  );
});

describeProbe(matrix, {
  settings,
  asks: { method: "GET", path: "/_matrix/client/v3/account/whoami" },
  success: answer(200, json, '{"user_id":"@bot:example.org","is_guest":false}'),
});

const requestOf = (kind: Message["kind"], isFallback: boolean) => {
  const parsed = matrix.settings.parse({ server: "https://a.example", token: "t", roomId: "!a:b" });
  return matrix.request({
    settings: parsed,
    message: { id: "e", title: "t", body: "", kind } as Message,
    isFallback,
    nowMs: 0,
  });
};

test.each([
  ["needs-you", "m.text"],
  ["failed", "m.text"],
  ["finished", "m.text"],
  ["info", "m.notice"],
] as const)("%s is sent as %s", (kind, msgtype) => {
  const { method, body = "" } = requestOf(kind, false);
  expect(method).toBe("PUT");
  expect(JSON.parse(body)).toMatchObject({ msgtype, body: "t" });
});

test("every attempt has the event's transaction id, and the fallback, another message, has another", () => {
  expect(requestOf("info", false).url).toMatch(/\/e$/);
  expect(requestOf("info", true).url).toMatch(/\/e-fallback$/);
});

test("what tells again of an event, below the message that stands, is another message", async () => {
  const server = await startMatrixServer();
  onTestFinished(() => server.close());
  const configured = await configuredFor(matrix, server.settings);
  const context = { config: await configOf({}), ports: createPorts(), keepSecret() {} };
  const send = (step?: number) =>
    attempt({ event, facts: {}, configured, thread: { key: "0".repeat(32) }, ...(step && { step }) }, context);
  const { receipt: first } = await send();
  expect((await send()).receipt).toEqual(first); // its answer was lost
  const { receipt: second } = await send(1);
  expect(second).not.toEqual(first);
  expect((await send(1)).receipt).toEqual(second);
  expect(await server.standing()).toHaveLength(2);
});

test.each(["#alias:example.org", "!", "! a:b", "!\ud800:b", `!${"x".repeat(255)}`])(
  "%j is not a room's id",
  (roomId) => {
    expect(matrix.settings.safeParse({ server: "https://a.example", token: "t", roomId }).success).toBe(false);
  },
);

test.each(["!a/../../login:b", "!..", "!a?b#c:d", "!%2e%2e:b", "!🙂:b"])(
  "the room %s is one part of the path",
  (roomId) => {
    const parsed = matrix.settings.parse({ server: "https://a.example/base", token: "t", roomId });
    const { url } = matrix.request({
      settings: parsed,
      message: { id: "e", kind: "info" } as Message,
      isFallback: false,
      nowMs: 0,
    });
    const { pathname, search, hash } = new URL(url);
    const [, base, , , , , room = "", ...rest] = pathname.split("/");
    expect([base, decodeURIComponent(room), rest.join("/")]).toEqual(["base", roomId, "send/m.room.message/e"]);
    expect(search + hash).toBe("");
  },
);
