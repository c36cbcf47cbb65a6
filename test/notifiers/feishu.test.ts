import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { feishu } from "../../src/notifiers/feishu.ts";
import { answer } from "../helpers/hostile-server.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

const json = { "content-type": "application/json" };
const code = (number: number, status = 200, headers = {}) =>
  answer(
    status,
    { ...json, ...headers },
    JSON.stringify({ code: number, msg: `May I run the tests? ${canary}`, data: {} }),
  );

describeHttpNotifier(feishu, {
  settings: (origin) => ({ url: `${origin}/open-apis/bot/v2/hook/${canary}`, secret: canary }),
  success: answer(200, json, '{"StatusCode":0,"StatusMessage":"success","code":0,"data":{},"msg":"success"}'),
  rejections: [
    ["a signature or a clock that is not right", code(19021), { reason: "auth" }],
    ["a bot that is gone", code(19001), { reason: "auth" }],
    ["an address that is not allowed", code(19022), { reason: "auth" }],
    ["a keyword that is missing", code(19024), { reason: "auth" }],
    ["a bad request", code(9499), { reason: "rejected" }],
    ["any other code", code(12345), { reason: "rejected" }],
    ["too many at a full hour, in a success", code(11232), { reason: "rate-limited" }],
    ["too many, as an error of ours", code(99991400, 400), { reason: "rate-limited" }],
    [
      "too many, with a wait in Feishu's own header",
      code(99991400, 429, { "x-ogw-ratelimit-reset": "17" }),
      { reason: "rate-limited", waitMs: 17_000 },
    ],
  ],
  read({ body }) {
    const text = (JSON.parse(body).content.text as string).replace(/([<\]])\u200b/g, "$1");
    const [title = "", ...lines] = text.split("\n");
    return { title, body: lines.join("\n") };
  },
  valid({ body }) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(20_000);
    const payload = JSON.parse(body);
    expect(Object.keys(payload).sort()).toEqual(["content", "msg_type", "sign", "timestamp"]);
    expect(payload.msg_type).toBe("text");
    expect(payload.content.text).not.toMatch(/^$|[<\]](?!\u200b)/);
  },
  mentions: ['<at user_id="all">all</at> <at id=all></at> <b>x</b> [x](https://e) <\u200bat'],
});

const message = { title: "title", body: "body", kind: "finished" } as Message;
const url = "https://open.feishu.cn/open-apis/bot/v2/hook/k";

test("the signature is Feishu's", () => {
  const settings = { url, secret: "demo-secret" };
  const { body = "" } = feishu.request({ settings, message, isFallback: false, nowMs: 1_700_000_000_999 });
  expect(JSON.parse(body)).toMatchObject({
    timestamp: "1700000000",
    sign: "mYHw2R2SOm8Rw/sne3lQdmz4sOfntKR+1P/8RKKTwmA=",
  });
});

test("without a secret the request is not signed, and it holds the keyword", () => {
  const { body = "" } = feishu.request({ settings: { url, keyword: "beckon" }, message, isFallback: false, nowMs: 0 });
  expect(JSON.parse(body)).toEqual({ msg_type: "text", content: { text: "beckon: title\nbody" } });
});

test.each([
  [19021, /`secret`, and the clock/],
  [19024, /`keyword`/],
])("code %i has a hint", (number, hint) => {
  const body = JSON.stringify({ code: number, msg: "" });
  expect(feishu.classifyReply?.({ status: 200, headers: {}, body }, 0)?.hint).toMatch(hint);
});
