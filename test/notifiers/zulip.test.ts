import { describe, expect, onTestFinished, test } from "vitest";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { zulip } from "../../src/notifiers/zulip.ts";
import {
  answer,
  answerJson,
  type Behaviour,
  type Captured,
  openHostileServer,
  silence,
} from "../world/hostile-server.ts";
import { networkCall } from "../world/network-call.ts";
import { settings, startZulipServer } from "./cases/zulip.ts";
import { makeRequest } from "./contract/make-request.ts";

describe("a sent message", () => {
  const fault = (status: number, code: string): Behaviour =>
    answerJson(status, { result: "error", msg: "Nein.", code });

  /** Sends a message to a test server, then withdraws it. Returns the requests for the withdrawal. */
  async function withdraw(reply: Behaviour, alter = (receipt: Receipt): Receipt => receipt) {
    let behave: Behaviour = answerJson(200, { result: "success", id: 42 });
    const server = await openHostileServer({ "*": (request, response) => behave(request, response) });
    const call = networkCall(zulip.settings.parse(settings(server.origin)));
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
    const call = networkCall(zulip.settings.parse(server.settings));
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
