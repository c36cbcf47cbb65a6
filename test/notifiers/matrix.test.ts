import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { matrix } from "../../src/notifiers/matrix.ts";
import { answer } from "../helpers/hostile-server.ts";
import { textOfHtml } from "../helpers/html-text.ts";
import { canary, describeHttpNotifier } from "../helpers/notifier-contract.ts";

const json = { "content-type": "application/json" };

describeHttpNotifier(matrix, {
  settings: (server) => ({ server, token: canary, roomId: "!a/b:example.org" }),
  success: answer(200, json, '{"event_id":"$x"}'),
  refusals: [
    [
      "too fast, as of old",
      answer(429, json, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}'),
      { reason: "rate-limited", waitMs: 2_500 },
    ],
    ["a wrong token", answer(401, json, '{"errcode":"M_UNKNOWN_TOKEN"}'), { reason: "auth" }],
    ["a room that the user is not in", answer(403, json, '{"errcode":"M_FORBIDDEN"}'), { reason: "auth" }],
    ["a success without an event", answer(200, json, "{}"), { reason: "unavailable" }],
  ],
  read({ body }, { title }) {
    const { body: text, formatted_body: html } = JSON.parse(body);
    if (html !== undefined) expect(textOfHtml(html)).toBe(text);
    return { title: text.slice(0, title.length), body: text.slice(title.length + 1) };
  },
  valid({ body, path, headers }) {
    expect(path).toBe("/_matrix/client/v3/rooms/!a%2Fb%3Aexample.org/send/m.room.message/evt-1");
    expect(headers["authorization"]).toBe(`Bearer ${canary}`);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(64_000);
    const payload = JSON.parse(body);
    expect(payload["m.mentions"]).toEqual({});
    expect((payload.formatted_body ?? "").replace(/<\/?strong>|<br>/g, "")).not.toMatch(/[<>]/);
  },
  mentions: ["@room @alice:example.org <a href='https://matrix.to/#/@alice:example.org'>a</a>"],
});

test.each([
  ["needs-you", "m.text"],
  ["info", "m.notice"],
] as const)("%s is sent as %s", (kind, msgtype) => {
  const settings = matrix.settings.parse({ server: "https://a.example", token: "t", roomId: "!a:b" });
  const request = matrix.request({
    settings,
    message: { id: "e", title: "t", body: "", kind } as Message,
    plain: false,
    nowMs: 0,
  });
  expect(request.method).toBe("PUT");
  expect(JSON.parse(request.body ?? "")).toMatchObject({ msgtype, body: "t", formatted_body: "<strong>t</strong>" });
});
