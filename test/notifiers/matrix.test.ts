import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { matrix } from "../../src/notifiers/matrix.ts";
import { answer } from "../helpers/hostile-server.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { describeProbe } from "../helpers/notifier-contract/describe-probe.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

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
