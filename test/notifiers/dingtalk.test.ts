import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { dingtalk } from "../../src/notifiers/dingtalk.ts";
import { answer } from "../world/hostile-server.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { canary } from "./contract/notifier-case.ts";

const json = { "content-type": "application/json" };
const code = (errcode: number, status = 200) =>
  answer(status, json, JSON.stringify({ errcode, errmsg: `May I run the tests? ${canary}` }));
const goneBefore = '{"errcode":300001,"errmsg":"token is not exist"}';
const shutOut = { reason: "rate-limited", waitMs: 600_000 } as const;

describeHttpNotifier(dingtalk, {
  settings: (origin) => ({ url: `${origin}/robot/send?access_token=${canary}`, secret: `SEC${canary}` }),
  success: answer(200, json, '{"errcode":0,"errmsg":"ok"}'),
  rejections: [
    ["too many messages, in a success", code(130101), shutOut],
    ["too many messages, by the documented code", code(410100), shutOut],
    ["a signature, a keyword or an address that is not right", code(310000), { reason: "auth" }],
    ["a token that is none", code(400101), { reason: "auth" }],
    ["a robot that is gone", code(300005), { reason: "auth" }],
    ["the same, in the older form", answer(200, json, goneBefore), { reason: "auth" }],
    ["a bad request under the same code", code(300001), { reason: "rejected" }],
    ["a group that is gone", code(400013), { reason: "auth" }],
    ["a text that is not wanted", code(430102), { reason: "rejected" }],
    ["a busy service", code(-1), { reason: "unavailable" }],
  ],
  read({ body }) {
    const [title = "", ...lines] = (JSON.parse(body).text.content as string).split("\n");
    return { title, body: lines.join("\n") };
  },
  valid({ body, path }) {
    const { msgtype, text, at } = JSON.parse(body);
    expect(msgtype).toBe("text");
    expect(text.content).not.toBe("");
    expect(at).toEqual({ atMobiles: [], atUserIds: [], isAtAll: false });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(15_000);
    const { searchParams } = new URL(path, "http://localhost");
    expect([...searchParams.keys()]).toEqual(["access_token", "timestamp", "sign"]);
    expect(searchParams.get("access_token")).toBe(canary);
  },
  mentions: ["@all @13800138000 @所有人 [x](dingtalk://x) # h"],
});

const message = { title: "title", body: "body", kind: "finished" } as Message;
const url = "https://oapi.dingtalk.com/robot/send?access_token=t";

test("the signature is DingTalk's, encoded for a URL", () => {
  const settings = { url, secret: "demo-secret" };
  const request = dingtalk.request({ settings, message, isFallback: false, nowMs: 1_700_000_000_000 });
  expect(request.url).toBe(`${url}&timestamp=1700000000000&sign=mSUvvxbX7ba307ODWOhHpJmbw3QdiJvvLe0lcElsApI%3D`);
});

test("without a secret the request is not signed, and it holds the keyword", () => {
  const request = dingtalk.request({ settings: { url, keyword: "beckon" }, message, isFallback: false, nowMs: 0 });
  expect(request.url).toBe(url);
  expect(JSON.parse(request.body ?? "").text.content).toBe("beckon: title\nbody");
});
