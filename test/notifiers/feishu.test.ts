import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { feishu } from "../../src/notifiers/feishu.ts";
import { type AttemptContext, attempt } from "../../src/pipeline/attempt.ts";
import { change } from "../../src/pipeline/change.ts";
import type { OutgoingEvent } from "../../src/pipeline/outgoing.ts";
import { configOf } from "../world/delivery-world.ts";
import { answer, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { configuredFor, event } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary } from "./contract/notifier-case.ts";
import { type FeishuServer, readCard, startFeishuServer } from "./feishu-server.ts";

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

describeChanges(feishu, { start: () => startFeishuServer(), withdrawn: "done", refusal: "auth" });

const app = (server: string) => ({ appId: "cli_a1", appSecret: canary, chat: "oc_1", server });

describeProbe(feishu, {
  settings: app,
  asks: { method: "POST", path: "/open-apis/auth/v3/tenant_access_token/internal" },
  success: answer(200, json, '{"code":0,"tenant_access_token":"t-1","expire":7200}'),
});

test("a custom bot has nothing to probe", () => {
  expect(feishu.canProbe?.(feishu.settings.parse({ url: "https://open.feishu.cn/open-apis/bot/v2/hook/k" }))).toBe(
    false,
  );
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

test("an app is Feishu's own unless the settings name a server", () => {
  const { server: _, ...settings } = app("");
  const { url, body = "" } = feishu.request({
    settings: feishu.settings.parse(settings),
    message: { ...message, body: "" },
    isFallback: false,
    nowMs: 0,
  });
  expect(url).toBe("https://open.feishu.cn/open-apis/im/v1/messages?receive_id_type=chat_id");
  expect(readCard(JSON.parse(body).content)).toEqual({ title: "", body: "title" }); // no card is without elements
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
    context = { config: await configOf({}), ports: { ...ports, clock }, keepSecret() {} };
    outgoing = { event, facts: {}, configured: await configuredFor(feishu, server.settings) };
  });
  afterEach(() => server.close());
  const send = async () => attempt(outgoing, context);

  test("asks for a token once, for messages and changes alike, as long as it is valid", async () => {
    const { receipt = {} } = await send();
    await send();
    expect(await change("update", { ...outgoing, receipt }, context)).toEqual({});
    expect(server.tokensGiven()).toBe(1);
    nowMs = 7_200_000 - 60_000; // a minute before its end
    expect((await send()).failure).toBeUndefined();
    expect(server.tokensGiven()).toBe(2);
  });

  test("asks for another token in the next attempt where one is refused", async () => {
    await send();
    server.revokeTokens();
    expect((await send()).failure).toMatchObject({ reason: "unavailable", isTransient: true });
    expect((await send()).failure).toBeUndefined();
    expect(server.tokensGiven()).toBe(2);
  });

  test("sends the shorter form of a message that is too long once its quotes are escaped twice", async () => {
    const result = await attempt({ ...outgoing, event: { ...event, message: '"'.repeat(20_000) } }, context);
    expect(result.failure).toBeUndefined();
    expect(result.note).toMatch(/^shortened/);
    expect((await server.standing())[0]?.body).toMatch(/^"{400,}…$/);
  });

  test("gets no token with a wrong secret", async () => {
    const settings = { ...server.settings, appSecret: `${canary}2` };
    const { failure } = await attempt({ ...outgoing, configured: await configuredFor(feishu, settings) }, context);
    expect(failure).toMatchObject({ reason: "auth", hint: expect.stringContaining("`appSecret`") });
    expect(JSON.stringify(failure)).not.toContain(canary);
  });
});

describe("a card that was sent", () => {
  const sent = { messageId: "om_1" };

  /** What is asked of a server of the test's, besides a token, where a card is updated that has this receipt. */
  async function update(receipt: object, reply = answer(200, json, '{"code":0,"data":{}}')) {
    const token = answer(200, json, '{"code":0,"tenant_access_token":"t-1","expire":7200}');
    const server = await startHostileServer({ "/open-apis/auth/v3/tenant_access_token/internal": token, "*": reply });
    onTestFinished(() => server.close());
    const settings = { appId: "cli_a1", appSecret: canary, chat: "oc_1", server: server.origin };
    const call = { ...localCall(feishu.settings.parse(settings), {}), ports: createPorts() };
    await feishu.update?.({ ...call, receipt: receipt as Receipt });
    return server.requests.map(({ method, path }) => `${method} ${path}`);
  }

  test("is updated as the app", async () => {
    expect(await update(sent)).toEqual([
      "POST /open-apis/auth/v3/tenant_access_token/internal",
      "PATCH /open-apis/im/v1/messages/om_1",
    ]);
  });

  test.each([230_011, 230_031, 230_110])("needs no change where Feishu answers with code %i", async (code) => {
    await expect(update(sent, answer(400, json, JSON.stringify({ code })))).resolves.toHaveLength(2);
  });

  test.each([
    [230_002, 400, "auth"],
    [99_991_672, 400, "auth"],
    [230_020, 400, "rate-limited"],
    [230_025, 400, "rejected"],
    [99_991_663, 400, "unavailable"],
  ])("is not updated where Feishu answers with code %i", async (code, status, reason) => {
    await expect(update(sent, answer(status, json, JSON.stringify({ code })))).rejects.toMatchObject({ reason });
  });

  test.each([{}, { messageId: 1 }, { messageId: "om_../1" }, { messageId: "1" }])(
    "and has a receipt of another form, %j, is let alone",
    async (receipt) => expect(await update(receipt)).toEqual([]),
  );
});

test("what an app has sent is let alone where there is only a custom bot by now", async () => {
  const settings = feishu.settings.parse({ url: "https://open.feishu.cn/open-apis/bot/v2/hook/k" });
  // Any request would fail: its ports refuse.
  await feishu.withdraw?.({ ...localCall(settings, {}), receipt: { messageId: "om_1" } });
});
