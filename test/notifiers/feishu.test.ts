import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClock } from "../../src/io/clock.ts";
import { feishu } from "../../src/notifiers/feishu.ts";
import { answerJson } from "../world/hostile-server.ts";
import { networkPorts } from "../world/network-call.ts";
import * as cases from "./cases/feishu.ts";
import {
  type FeishuServer,
  readCard,
  receipt,
  settings,
  startFeishuServer,
  tokenPath,
  url,
  withToken,
} from "./cases/feishu.ts";
import { describeNotifier, updateAt } from "./contract/describe-notifier.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";
import { canary } from "./contract/notifier-case.ts";
import { direct, type Target } from "./contract/way.ts";

describeNotifier(feishu, cases);

test("a sent card is updated as the app", async () => {
  const requests = await updateAt(feishu, settings, {
    receipt,
    reply: withToken(answerJson(200, { code: 0, data: {} })),
  });
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
  const { server: _, ...atFeishu } = settings("");
  const { url, body = "" } = makeRequest(feishu, atFeishu, { message: { title: "title", body: "" } });
  expect(url).toBe("https://open.feishu.cn/open-apis/im/v1/messages?receive_id_type=chat_id");
  expect(readCard(JSON.parse(body).content)).toEqual({ title: "", body: "title" }); // a card needs elements
});

describe("an app", () => {
  let server: FeishuServer;
  let nowMs: number;
  let target: Target;
  beforeEach(async () => {
    server = await startFeishuServer();
    nowMs = 0;
    const ports = networkPorts({ ...createClock(), now: () => nowMs });
    target = { notifier: feishu, settings: server.settings, ports };
  });
  afterEach(() => server.close());
  const send = () => direct.send(target, { message: "first" });

  test("requests one token for messages and changes while the token is valid", async () => {
    const { receipt = {} } = await send();
    await send();
    expect(await direct.change("update", target, { message: "second", receipt })).toEqual({});
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

  test("gets no token with a wrong secret", async () => {
    const settings = { ...server.settings, appSecret: `${canary}2` };
    const { failure } = await direct.send({ ...target, settings }, { message: "first" });
    expect(failure).toMatchObject({ reason: "auth", hint: expect.stringContaining("`appSecret`") });
    expect(JSON.stringify(failure)).not.toContain(canary);
  });
});
