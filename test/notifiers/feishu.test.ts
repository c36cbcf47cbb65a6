import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { feishu } from "../../src/notifiers/feishu.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { answerJson, type Behaviour, type HostileServer, openHostileServer } from "../world/hostile-server.ts";
import { networkPorts } from "../world/network-call.ts";
import { readCard, receipt, settings, startFeishuServer, tokenPath, url, withToken } from "./cases/feishu.ts";
import { updateAt } from "./contract/describe-notifier.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";
import { canary } from "./contract/notifier-case.ts";
import { direct, type Target } from "./contract/way.ts";

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
  let server: HostileServer;
  let clock: FakeClock;
  let target: Target;
  let given: number;
  /** Tokens that were given and are now refused. */
  let revoked: readonly string[];
  let reply: Behaviour;
  beforeEach(async () => {
    [clock, given, revoked] = [new FakeClock(), 0, []];
    reply = answerJson(200, { code: 0, data: { message_id: "om_1" } });
    server = await openHostileServer({
      [tokenPath]: (request, response) => {
        given += 1;
        answerJson(200, { code: 0, tenant_access_token: `t${given}`, expire: 7_200 })(request, response);
      },
      "*": (request, response) => {
        const isRefused = revoked.includes(request.headers.authorization ?? "");
        (isRefused ? answerJson(400, { code: 99_991_663 }) : reply)(request, response);
      },
    });
    target = { notifier: feishu, settings: settings(server.origin), ports: networkPorts(clock) };
  });
  const send = (more = {}) =>
    direct.send({ ...target, settings: { ...target.settings, ...more } }, { message: "first" });
  /** Lists the requests: `token` for a token, or the token of another request. */
  const asked = () =>
    server.requests.map(({ path, headers }) =>
      path === tokenPath ? "token" : headers.authorization?.replace("Bearer ", ""),
    );

  test("requests one token for messages and changes while the token is valid", async () => {
    const { receipt = {} } = await send();
    clock.skip(7_200_000 - 60_000 - 1); // until a minute before its end
    expect(await direct.change("update", target, { message: "second", receipt })).toEqual({});
    clock.skip(1);
    await send();
    expect(asked()).toEqual(["token", "t1", "t1", "token", "t2"]);
  });

  test("has a token of its own", async () => {
    await send();
    await send({ appId: "cli_2" });
    await send();
    expect(asked()).toEqual(["token", "t1", "token", "t2", "t1"]);
  });

  test("requests another token in the same attempt if one is refused, but only once", async () => {
    revoked = ["Bearer t1"];
    expect((await send()).failure).toBeUndefined();
    expect(asked()).toEqual(["token", "t1", "token", "t2"]);
    revoked = ["Bearer t2", "Bearer t3"];
    expect((await send()).failure).toMatchObject({ reason: "unavailable" });
    await send();
    expect(asked().slice(4)).toEqual(["t2", "token", "t3", "t3", "token", "t4"]);
  });

  test("drops no new token if parallel requests renew it", async () => {
    await send();
    revoked = ["Bearer t1"];
    await Promise.all([send(), send()]);
    const before = given;
    await send();
    expect(given).toBe(before);
  });

  test("keeps its token after another failure", async () => {
    await send();
    reply = answerJson(503, {});
    expect((await send()).failure).toMatchObject({ reason: "unavailable" });
    expect(asked()).toEqual(["token", "t1", "t1"]);
  });

  test("requests its token with the entry's own authority", async () => {
    const { failure } = await send({ server: server.origin.replace("http", "https"), ca: "/no/such.pem" });
    expect(failure).toMatchObject({ message: expect.stringContaining("/no/such.pem") });
    expect(server.requests).toEqual([]);
  });
});

test("an app gets no token with a wrong secret", async () => {
  const server = await startFeishuServer();
  onTestFinished(() => server.close());
  const wrong = { ...server.settings, appSecret: `${canary}2` };
  const { failure } = await direct.send({ notifier: feishu, settings: wrong }, { message: "first" });
  expect(failure).toMatchObject({ reason: "auth", hint: expect.stringContaining("`appSecret`") });
  expect(JSON.stringify(failure)).not.toContain(canary);
});
