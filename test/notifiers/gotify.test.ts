import { expect } from "vitest";
import { gotify } from "../../src/notifiers/gotify.ts";
import { answer } from "../helpers/hostile-server.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { describeProbe } from "../helpers/notifier-contract/describe-probe.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

const json = { "content-type": "application/json" };
const settings = (origin: string) => ({ server: `${origin}/`, token: canary });

describeHttpNotifier(gotify, {
  settings,
  success: answer(200, json, '{"id":1,"appid":1}'),
  rejections: [
    ["a wrong token", answer(401, json, '{"error":"Unauthorized","errorCode":401}'), { reason: "auth" }],
    ["another program's JSON", answer(200, json, '{"ok":true}'), { reason: "unavailable" }],
  ],
  read({ body }) {
    const { title, message } = JSON.parse(body);
    return title === undefined ? { title: message, body: "" } : { title, body: message };
  },
  valid({ body, headers, path }) {
    expect(path).toBe("/message");
    expect(headers["x-gotify-key"]).toBe(canary);
    const payload = JSON.parse(body);
    expect(payload.message).not.toBe("");
    expect(payload.priority).toBe(8);
    expect(payload.extras).toBeUndefined(); // plain text
  },
  mentions: ["[click](https://evil.example) ![](https://evil.example/x.png)"],
});

describeProbe(gotify, {
  settings,
  asks: { method: "GET", path: "/version" },
  success: answer(200, json, '{"version":"2.6.1","commit":"x","buildDate":"y"}'),
  addressOnly: true,
});
