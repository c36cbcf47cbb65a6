import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { gotify } from "../../src/notifiers/gotify.ts";
import { answer, htmlPage, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary } from "./contract/notifier-case.ts";
import { readGotify, startGotifyServer } from "./gotify-server.ts";

const json = { "content-type": "application/json" };
const settings = (origin: string) => ({ server: `${origin}/`, token: canary });

describeHttpNotifier(gotify, {
  settings,
  success: answer(200, json, '{"id":1,"appid":1}'),
  rejections: [
    ["a wrong token", answer(401, json, '{"error":"Unauthorized","errorCode":401}'), { reason: "auth" }],
    ["another program's JSON", answer(200, json, '{"ok":true}'), { reason: "unavailable" }],
  ],
  read: ({ body }) => readGotify(JSON.parse(body)),
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

describeChanges(gotify, { start: startGotifyServer, withdrawn: "nothing", refusal: "auth" });

test("there is no receipt without the client's token, which alone may delete", () => {
  const message = { title: "t", body: "b", kind: "finished" } as Message;
  const receiptOf = (more: object, body: string) => {
    const parsed = gotify.settings.parse({ ...settings("https://push.example.org"), ...more });
    const parts = { settings: parsed, message, isFallback: false, nowMs: 0 };
    return gotify.receipt?.({ status: 200, headers: {}, body }, parts);
  };
  expect(receiptOf({}, '{"id":25}')).toBeUndefined();
  expect(receiptOf({ clientToken: "C1" }, '{"id":25}')).toEqual({ id: 25 });
  expect(receiptOf({ clientToken: "C1" }, '{"id":2.5}')).toBeUndefined();
});

test("a page in place of the server's answer deletes nothing, and a receipt of another form asks for nothing", async () => {
  const server = await startHostileServer({ "*": htmlPage });
  const parsed = gotify.settings.parse({ ...settings(server.origin), clientToken: "C1" });
  const withdraw = (receipt: Receipt) => gotify.withdraw?.({ ...localCall(parsed, {}), ports: createPorts(), receipt });
  await expect(withdraw({ id: 1 })).rejects.toMatchObject({ reason: "unavailable" });
  for (const receipt of [{}, { id: "1" }, { id: "../application/1" }]) await withdraw(receipt as Receipt);
  await server.close();
  expect(server.requests).toHaveLength(1);
});

describeProbe(gotify, {
  settings,
  asks: { method: "GET", path: "/version" },
  success: answer(200, json, '{"version":"2.6.1","commit":"x","buildDate":"y"}'),
  addressOnly: true,
});
