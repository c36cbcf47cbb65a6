import { expect, test } from "vitest";
import { createPorts } from "../../src/io/ports.ts";
import { gotify } from "../../src/notifiers/gotify.ts";
import { answerJson, htmlPage, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { readReceipt } from "./contract/make-request.ts";
import { canary, readTitled } from "./contract/notifier-case.ts";
import { startGotifyServer } from "./gotify-server.ts";

const settings = (origin: string) => ({ server: `${origin}/`, token: canary });

describeHttpNotifier(gotify, {
  settings,
  success: answerJson(200, { id: 1, appid: 1 }),
  rejections: [
    ["a wrong token", answerJson(401, { error: "Unauthorized", errorCode: 401 }), "auth"],
    ["another program's JSON", answerJson(200, { ok: true }), "unavailable"],
  ],
  read: ({ body }) => readTitled(JSON.parse(body)),
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

describeChanges(gotify, {
  start: startGotifyServer,
  withdrawn: "nothing",
  refusal: "auth",
  foreign: [{}, { id: "1" }, { id: "../application/1" }],
});

test("there is no receipt without the client token, which alone may delete", () => {
  const own = settings("https://push.example.org");
  expect(readReceipt(gotify, own, { id: 25 })).toBeUndefined();
  expect(readReceipt(gotify, { ...own, clientToken: "C1" }, { id: 25 })).toEqual({ id: 25 });
  expect(readReceipt(gotify, { ...own, clientToken: "C1" }, { id: 2.5 })).toBeUndefined();
});

test("a page in place of the server's answer deletes nothing", async () => {
  const server = await startHostileServer({ "*": htmlPage });
  const parsed = gotify.settings.parse({ ...settings(server.origin), clientToken: "C1" });
  const withdrawn = gotify.withdraw?.({ ...localCall(parsed, {}), ports: createPorts(), receipt: { id: 1 } });
  await expect(withdrawn).rejects.toMatchObject({ reason: "unavailable" });
  await server.close();
});

describeProbe(gotify, {
  settings,
  asks: { method: "GET", path: "/version" },
  success: answerJson(200, { version: "2.6.1", commit: "x", buildDate: "y" }),
  addressOnly: true,
});
