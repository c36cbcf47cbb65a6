import { expect } from "vitest";
import { wecom } from "../../src/notifiers/wecom.ts";
import { answer } from "../world/hostile-server.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { canary } from "./contract/notifier-case.ts";

const json = { "content-type": "application/json; charset=UTF-8" };
const code = (errcode: number, status = 200) =>
  answer(status, json, JSON.stringify({ errcode, errmsg: `May I run the tests? ${canary}` }));

describeHttpNotifier(wecom, {
  settings: (origin) => ({ url: `${origin}/cgi-bin/webhook/send?key=${canary}` }),
  success: answer(200, json, '{"errcode":0,"errmsg":"ok"}'),
  rejections: [
    ["too many messages, in a success", code(45009), { reason: "rate-limited", waitMs: 65_000 }],
    ["a robot that is gone", code(93000), { reason: "auth" }],
    ["a text that is too long", code(40058), { reason: "rejected" }],
    ["a busy service", code(-1), { reason: "unavailable" }],
  ],
  read({ body }) {
    const [title = "", ...lines] = (JSON.parse(body).text.content as string).replaceAll("<\u200b", "<").split("\n");
    return { title, body: lines.join("\n") };
  },
  valid({ body }) {
    const { msgtype, text } = JSON.parse(body);
    expect(msgtype).toBe("text");
    expect(Object.keys(text)).toEqual(["content"]);
    expect(Buffer.byteLength(text.content)).toBeLessThanOrEqual(2_048);
    expect(text.content).not.toMatch(/^$|<(?!\u200b)/);
  },
  mentions: ["<@zhangsan> <@all> @all <\u200b@x> <font color='warning'>x</font>"],
});
