import { expect } from "vitest";
import { pushbullet } from "../../src/notifiers/pushbullet.ts";
import { answer, answerJson } from "../world/hostile-server.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary } from "./contract/notifier-case.ts";
import { startPushbulletServer } from "./pushbullet-server.ts";

const settings = (server: string) => ({ server, token: canary, deviceIden: "ujpah72o0sjAoRtnM0jc" });

describeHttpNotifier(pushbullet, {
  settings,
  success: answerJson(200, { iden: "ubdpjxxxOK0sKG", active: true }),
  rejections: [
    ["a wrong token", answerJson(401, { error: { code: "invalid_access_token" } }), "auth"],
    [
      "a quota with a time in Unix seconds",
      answer(429, { "x-ratelimit-reset": String(Date.parse("2026-11-20T12:10:00Z") / 1000) }, "{}"),
      { reason: "rate-limited", waitMs: 600_000 },
    ],
    ["a fault with headers of a quota", answer(500, { "x-ratelimit-reset": "7200" }, "{}"), "unavailable"],
  ],
  read({ body }) {
    const { title, body: text } = JSON.parse(body);
    return { title, body: text };
  },
  valid({ body, headers, path }) {
    expect(path).toBe("/v2/pushes");
    expect(headers["access-token"]).toBe(canary);
    expect(JSON.parse(body)).toMatchObject({ type: "note", guid: "evt-1", device_iden: "ujpah72o0sjAoRtnM0jc" });
  },
  mentions: ["<a href='https://evil.example'>x</a>"],
});

describeChanges(pushbullet, {
  start: startPushbulletServer,
  withdrawn: "nothing",
  refusal: "auth",
  foreign: [{}, { iden: 5 }, { iden: "" }, { iden: "../users/me" }],
});

describeProbe(pushbullet, {
  settings,
  asks: { method: "GET", path: "/v2/users/me" },
  success: answerJson(200, { iden: "ujpah72o0", email: "me@example.com" }),
});
