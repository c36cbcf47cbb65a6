import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { change } from "../../src/follow-up/change.ts";
import { createPorts } from "../../src/io/ports.ts";
import { feishu } from "../../src/notifiers/feishu.ts";
import { type AttemptContext, attempt } from "../../src/pipeline/attempt.ts";
import type { OutgoingEvent } from "../../src/pipeline/outgoing.ts";
import { makeConfig } from "../world/delivery-world.ts";
import { answerJson, type Behaviour } from "../world/hostile-server.ts";
import { configuredFor, event } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReplies, updateAt } from "./contract/describe-replies.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";
import { canary, readLines } from "./contract/notifier-case.ts";
import { type FeishuServer, readCard, startFeishuServer } from "./feishu-server.ts";

const code = (number: number, status = 200, headers = {}) =>
  answerJson(status, { code: number, msg: `May I run the tests? ${canary}`, data: {} }, headers);

describeHttpNotifier(feishu, {
  settings: (origin) => ({ url: `${origin}/open-apis/bot/v2/hook/${canary}`, secret: canary }),
  success: answerJson(200, { StatusCode: 0, StatusMessage: "success", code: 0, data: {}, msg: "success" }),
  rejections: [
    ["a wrong signature or clock", code(19021), "auth"],
    ["a deleted bot", code(19001), "auth"],
    ["a forbidden address", code(19022), "auth"],
    ["a missing keyword", code(19024), "auth"],
    ["a bad request", code(9499), "rejected"],
    ["any other code", code(12345), "rejected"],
    ["too many at a full hour, in a success", code(11232), "rate-limited"],
    ["too many, as an error of ours", code(99991400, 400), "rate-limited"],
    [
      "too many, with a wait in Feishu's own header",
      code(99991400, 429, { "x-ogw-ratelimit-reset": "17" }),
      { reason: "rate-limited", waitMs: 17_000 },
    ],
  ],
  read({ body }) {
    return readLines(JSON.parse(body).content.text.replace(/([<\]])\u200b/g, "$1"));
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

const url = "https://open.feishu.cn/open-apis/bot/v2/hook/k";
const app = (server: string) => ({ appId: "cli_a1", appSecret: canary, chat: "oc_1", server });
const tokenPath = "/open-apis/auth/v3/tenant_access_token/internal";
const token = answerJson(200, { code: 0, tenant_access_token: "t-1", expire: 7_200 });
const receipt = { messageId: "om_1" };

describeChanges(feishu, {
  start: () => startFeishuServer(),
  withdrawn: "done",
  refusal: "auth",
  foreign: [{}, { messageId: 1 }, { messageId: "om_../1" }, { messageId: "1" }],
  otherVariant: { settings: { url }, receipt },
});

/** Makes the answer to a request with a token. */
const withToken =
  (reply: Behaviour): Behaviour =>
  (request, response) =>
    (request.url === tokenPath ? token : reply)(request, response);
const coded = (code: number) => [`code ${code}`, withToken(answerJson(400, { code }))] as const;
describeReplies(feishu, {
  settings: app,
  receipt,
  requests: 2,
  final: [coded(230_011), coded(230_031), coded(230_110)],
  failures: [
    [...coded(230_002), "auth"],
    [...coded(99_991_672), "auth"],
    [...coded(230_020), "rate-limited"],
    [...coded(230_025), "rejected"],
    [...coded(99_991_663), "unavailable"],
  ],
});

describeProbe(feishu, { settings: app, asks: { method: "POST", path: tokenPath }, success: token });

test("a sent card is updated as the app", async () => {
  const requests = await updateAt(feishu, app, { receipt, reply: withToken(answerJson(200, { code: 0, data: {} })) });
  const asked = requests.map(({ method, path }) => `${method} ${path}`);
  expect(asked).toEqual([`POST ${tokenPath}`, "PATCH /open-apis/im/v1/messages/om_1"]);
});

test("the signature is Feishu's", () => {
  const payload = makePayload(feishu, { url, secret: "demo-secret" }, { nowMs: 1_700_000_000_999 });
  const sign = "mYHw2R2SOm8Rw/sne3lQdmz4sOfntKR+1P/8RKKTwmA=";
  expect(payload).toMatchObject({ timestamp: "1700000000", sign });
});

test("without a secret the request is unsigned, and the keyword is included", () => {
  const payload = makePayload(feishu, { url, keyword: "beckon" });
  expect(payload).toEqual({ msg_type: "text", content: { text: "beckon: t\nb" } });
});

test("the codes of a wrong secret and of a missing keyword have a hint", () => {
  const findHint = (code: number) =>
    feishu.classifyReply?.({ status: 200, headers: {}, body: JSON.stringify({ code, msg: "" }) }, 0)?.hint;
  expect(findHint(19021)).toMatch(/`secret`, and the clock/);
  expect(findHint(19024)).toMatch(/`keyword`/);
});

test("an app is at Feishu unless the settings name a server", () => {
  const { server: _, ...settings } = app("");
  const { url, body = "" } = makeRequest(feishu, settings, { message: { title: "title", body: "" } });
  expect(url).toBe("https://open.feishu.cn/open-apis/im/v1/messages?receive_id_type=chat_id");
  expect(readCard(JSON.parse(body).content)).toEqual({ title: "", body: "title" }); // a card needs elements
});

describe("an app", () => {
  let server: FeishuServer;
  let nowMs: number;
  let context: AttemptContext;
  let outgoing: OutgoingEvent;
  beforeEach(async () => {
    server = await startFeishuServer();
    nowMs = 0;
    const ports = createPorts();
    const clock = { ...ports.clock, now: () => nowMs };
    context = { config: await makeConfig({}), ports: { ...ports, clock }, keepSecret() {} };
    outgoing = { event, facts: {}, configured: await configuredFor(feishu, server.settings) };
  });
  afterEach(() => server.close());
  const send = async () => attempt(outgoing, context);

  test("requests one token for messages and changes while the token is valid", async () => {
    const { receipt = {} } = await send();
    await send();
    expect(await change("update", { ...outgoing, receipt }, context)).toEqual({});
    expect(server.tokensGiven()).toBe(1);
    nowMs = 7_200_000 - 60_000; // a minute before its end
    expect((await send()).failure).toBeUndefined();
    expect(server.tokensGiven()).toBe(2);
  });

  test("requests another token in the same attempt if one is refused", async () => {
    await send();
    server.revokeTokens();
    expect((await send()).failure).toBeUndefined();
    expect(server.tokensGiven()).toBe(2);
  });

  test("sends the shorter form of a message that is too long after double escaping", async () => {
    const result = await attempt({ ...outgoing, event: { ...event, message: '"'.repeat(20_000) } }, context);
    expect(result.failure).toBeUndefined();
    expect(result.note).toMatch(/^shortened/);
    expect((await server.listActive())[0]?.body).toMatch(/^"{400,}…$/);
  });

  test("gets no token with a wrong secret", async () => {
    const settings = { ...server.settings, appSecret: `${canary}2` };
    const { failure } = await attempt({ ...outgoing, configured: await configuredFor(feishu, settings) }, context);
    expect(failure).toMatchObject({ reason: "auth", hint: expect.stringContaining("`appSecret`") });
    expect(JSON.stringify(failure)).not.toContain(canary);
  });
});
