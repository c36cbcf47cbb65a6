import { describe, expect, onTestFinished, test } from "vitest";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { zulip } from "../../src/notifiers/zulip.ts";
import {
  answer,
  answerJson,
  type Behaviour,
  type Captured,
  silence,
  startHostileServer,
} from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { makeRequest } from "./contract/make-request.ts";
import { canary } from "./contract/notifier-case.ts";
import { readZulip, startZulipServer } from "./zulip-server.ts";

const settings = (server: string) => ({ server, email: "bot@example.com", apiKey: canary, channel: "agents & co" });

describeHttpNotifier(zulip, {
  settings,
  success: answerJson(200, { result: "success", msg: "", id: 42 }),
  rejections: [
    [
      "too fast",
      answerJson(429, { result: "error", code: "RATE_LIMIT_HIT", "retry-after": 28.7 }),
      { reason: "rate-limited", waitMs: 28_700 },
    ],
    ["a wrong key", answerJson(401, { result: "error", code: "UNAUTHORIZED" }), "auth"],
    ["no such channel", answerJson(400, { result: "error", code: "STREAM_DOES_NOT_EXIST" }), "auth"],
    ["a disabled bot", answerJson(403, { result: "error", code: "USER_DEACTIVATED" }), "auth"],
    ["no such topic", answerJson(400, { result: "error", code: "BAD_REQUEST" }), "rejected"],
    ["an error within a success", answerJson(200, { result: "error", code: "BAD_REQUEST" }), "rejected"],
  ],
  read: ({ body }) => readZulip(new URLSearchParams(body).get("content") ?? ""),
  valid({ body, headers, path }) {
    expect(path).toBe("/api/v1/messages");
    expect(headers["authorization"]).toBe(`Basic ${Buffer.from(`bot@example.com:${canary}`).toString("base64")}`);
    expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
    const form = new URLSearchParams(body);
    expect([...form.keys()]).toEqual(["type", "to", "topic", "content"]);
    expect(form.get("to")).toBe("agents & co");
    expect([...(form.get("content") ?? "")].length).toBeLessThanOrEqual(10_000);
  },
  mentions: ["@**all** @_**King Hamlet** #**general** /poll x", "```\n@**all**\n```` `` ```quote"],
});

describeProbe(zulip, {
  settings,
  asks: { method: "GET", path: "/api/v1/users/me" },
  success: answerJson(200, { result: "success", msg: "", user_id: 7 }),
});

describeChanges(zulip, { start: startZulipServer, withdrawn: "done", refusal: "auth" });

describe("a sent message", () => {
  const fault = (status: number, code: string): Behaviour =>
    answerJson(status, { result: "error", msg: "Nein.", code });

  /** Sends a message to a test server, then withdraws it. Returns the requests for the withdrawal. */
  async function withdraw(reply: Behaviour, alter = (receipt: Receipt): Receipt => receipt) {
    let behave: Behaviour = answerJson(200, { result: "success", id: 42 });
    const server = await startHostileServer({ "*": (request, response) => behave(request, response) });
    onTestFinished(() => server.close());
    const call = { ...localCall(zulip.settings.parse(settings(server.origin)), {}), ports: createPorts() };
    const receipt = (await zulip.send(call)) ?? expect.fail("no receipt");
    behave = reply;
    await zulip.withdraw?.({ ...call, receipt: alter(receipt) });
    return server.requests.slice(1);
  }
  const asked = ({ method, path }: Captured): string => `${method} ${path}`;

  test("is edited and then marked by a reaction, as form requests of the bot", async () => {
    const requests = await withdraw(answerJson(200, { result: "success" }));
    expect(requests.map(asked)).toEqual(["PATCH /api/v1/messages/42", "POST /api/v1/messages/42/reactions"]);
    expect(requests.map(({ body }) => [...new URLSearchParams(body).keys()])).toEqual([["content"], ["emoji_name"]]);
    for (const { headers } of requests) expect(headers["authorization"]).toMatch(/^Basic /);
  });

  test("is only marked by a reaction after the time limit for edits", async () => {
    const server = await startZulipServer();
    onTestFinished(() => server.close());
    const call = { ...localCall(zulip.settings.parse(server.settings), {}), ports: createPorts() };
    const receipt = (await zulip.send(call)) ?? expect.fail("no receipt");
    expect(server.reactions()).toEqual([]);
    server.endEdits();
    const later = { ...call, message: { ...call.message, body: "later" }, receipt };
    await zulip.update?.(later);
    await zulip.withdraw?.(later);
    expect(await server.listActive()).toMatchObject([{ body: call.message.body }]);
    expect(server.reactions()).toEqual(["check"]);
    await zulip.withdraw?.(later);
    expect(server.reactions()).toEqual(["check"]);
  });

  test.each([
    [fault(401, "INVALID_API_KEY"), "auth"],
    [fault(403, "USER_DEACTIVATED"), "auth"],
    [fault(429, "RATE_LIMIT_HIT"), "rate-limited"],
    [fault(400, "MISSING_HTTP_EVENT_HEADER"), "rejected"],
    [answer(400, {}, "BAD_REQUEST"), "rejected"],
  ])("fails to change on any Zulip error but an expired edit limit", async (reply, reason) => {
    await expect(withdraw(reply)).rejects.toMatchObject({ reason });
  });

  test.each<[string, (receipt: Receipt) => Receipt]>([
    ["none", () => ({})],
    ["a text for its id", (receipt) => ({ ...receipt, id: "42/../../users" })],
    ["another server's", (receipt) => ({ ...receipt, server: "0".repeat(32) })],
  ])("is left alone with a receipt that is %s", async (_, alter) => {
    expect(await withdraw(silence, alter)).toEqual([]);
  });
});

test("the topic is the project name, cut to 60 code points, or the user's own", () => {
  const makeTopic = (more: object, project: string) => {
    const { body = "" } = makeRequest(zulip, { ...settings("https://z.example"), ...more }, { message: { project } });
    return new URLSearchParams(body).get("topic");
  };
  expect(makeTopic({}, "😀".repeat(70))).toBe(`${"😀".repeat(59)}…`);
  expect(makeTopic({ topic: "agents" }, "shop")).toBe("agents");
});
