import { expect } from "vitest";
import { bark } from "../../src/notifiers/bark.ts";
import { answer } from "../helpers/hostile-server.ts";
import { canary, describeHttpNotifier } from "../helpers/notifier-contract.ts";

const json = { "content-type": "application/json" };

describeHttpNotifier(bark, {
  settings: (server) => ({ server, deviceKey: canary }),
  success: answer(200, json, '{"code":200,"message":"success","timestamp":1}'),
  refusals: [
    ["an unknown key, as 400", answer(400, json, `{"code":400,"message":"${canary}"}`), { reason: "rejected" }],
    ["an error within a success", answer(200, json, `{"code":400,"message":"${canary}"}`), { reason: "rejected" }],
    ["a code that is a sentence", answer(200, json, `{"code":"no ${canary}"}`), { reason: "rejected" }],
  ],
  read({ body }, message) {
    const { title, body: text } = JSON.parse(body);
    return { title, body: message.body === "" ? "" : text };
  },
  valid({ body, path }) {
    expect(path).toBe("/push");
    const { device_key, ...push } = JSON.parse(body);
    expect(device_key).toBe(canary);
    expect(push).toMatchObject({ level: "timeSensitive", group: "shop" });
    expect(push.body).not.toBe("");
    expect(Buffer.byteLength(JSON.stringify(push))).toBeLessThanOrEqual(3_500);
  },
  mentions: ['","url":"https://evil.example","body":"'],
});
