import { describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { ntfy } from "../../src/notifiers/ntfy.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import { change } from "../../src/pipeline/change.ts";
import { answer } from "../helpers/hostile-server.ts";
import { localCall } from "../helpers/local-call.ts";
import { configuredFor, event } from "../helpers/notifier-contract/deliver-to.ts";
import { describeChanges } from "../helpers/notifier-contract/describe-changes.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { describeProbe } from "../helpers/notifier-contract/describe-probe.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";
import { readNtfy, startNtfyServer } from "../helpers/notifier-contract/ntfy-server.ts";
import { configOf } from "../pipeline/delivery-world.ts";

const json = { "content-type": "application/json" };

const settings = (server: string) => ({ server, topic: "agents", token: canary });

describeHttpNotifier(ntfy, {
  settings,
  success: answer(200, json, '{"id":"hwQ2YpKdmg","event":"message"}'),
  rejections: [
    ["too many requests", answer(429, json, '{"code":42901,"http":429}'), { reason: "rate-limited", waitMs: 5_000 }],
    [
      "the day's messages",
      answer(429, json, '{"code":42908,"http":429}'),
      { reason: "rate-limited", waitMs: 6 * 3_600_000 },
    ],
    ["a wrong token", answer(401, json, '{"code":40101,"http":401}'), { reason: "auth" }],
    ["a topic of somebody else's", answer(403, json, '{"code":40301,"http":403}'), { reason: "auth" }],
    ["a wrong topic", answer(400, json, '{"code":40009,"http":400}'), { reason: "auth" }],
    ["a topic that the server keeps for itself", answer(400, json, '{"code":40010,"http":400}'), { reason: "auth" }],
    ["no message JSON", answer(400, json, '{"code":40017,"http":400}'), { reason: "rejected" }],
    ["a fault", answer(500, json, '{"code":50001,"http":500}'), { reason: "unavailable" }],
  ],
  read: ({ body }) => readNtfy(JSON.parse(body)),
  valid({ body, headers, path }) {
    expect(path).toBe("/");
    expect(headers["authorization"]).toBe(`Bearer ${canary}`);
    const { topic, message, priority, markdown } = JSON.parse(body);
    expect({ topic, priority, markdown }).toEqual({ topic: "agents", priority: 4, markdown: undefined });
    expect(Buffer.byteLength(message)).toBeLessThan(4_096);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8_192);
    expect(message).not.toBe("");
  },
  mentions: ['","click":"https://evil.example","x":"', "**bold** ![](https://evil.example/x.png)"],
});

describeChanges(ntfy, { start: () => startNtfyServer(), withdrawn: "nothing", refusal: "rate-limited" });

describeProbe(ntfy, {
  settings,
  asks: { method: "GET", path: "/v1/health" },
  success: answer(200, json, '{"healthy":true}'),
  addressOnly: true,
});

const thread = { key: "0123456789abcdef0123456789abcdef" };
const call = { message: { title: "t", body: "b", kind: "needs-you" } as Message, isFallback: false, nowMs: 1_000 };

/** Sends a message to a server of the test's, then withdraws it. */
async function sendAndWithdraw(options: Parameters<typeof startNtfyServer>[0]) {
  const server = await startNtfyServer(options);
  onTestFinished(() => server.close());
  const outgoing = { event, facts: {}, thread, configured: await configuredFor(ntfy, server.settings) };
  const context = { config: await configOf({}), ports: createPorts(), keepSecret() {} };
  const { receipt } = await attempt(outgoing, context);
  if (receipt) await change("withdraw", { ...outgoing, receipt }, context);
  return { receipt, server };
}

test.each([
  ["clear", /^PUT \/agents\/0123456789abcdef\w+-\w+\/clear$/],
  ["delete", /^DELETE \/agents\/0123456789abcdef\w+-\w+$/],
])("with %s, that is what is asked of the server", async (whenResolved, asked) => {
  const { server } = await sendAndWithdraw({ settings: { whenResolved } });
  expect(server.changes).toEqual([expect.stringMatching(asked)]);
});

describe("there is no receipt", () => {
  test("of a server older than 2.16, which would show and ring a change as a second message", async () => {
    expect((await sendAndWithdraw({ isOld: true })).receipt).toBeUndefined();
  });

  test.each([
    ["of a test message", {}, undefined],
    ["where messages are to stay", { whenResolved: "keep" }, thread],
    ["of a sequence that is not ours", {}, { key: "ffffffffffffffffffffffffffffffff" }],
  ])("%s", (_, more, asked) => {
    const parts = { ...call, settings: ntfy.settings.parse({ topic: "a", ...more }), ...(asked && { thread: asked }) };
    const reply = { status: 200, headers: {}, body: JSON.stringify({ id: "m1", sequence_id: `${thread.key}-rs` }) };
    expect(ntfy.receipt?.(reply, { ...parts })).toBeUndefined();
  });
});

test("each message of a session is a sequence of its own: Android would not ring for a second one", () => {
  const settings = ntfy.settings.parse({ topic: "a" });
  const sequenceAt = (nowMs: number) =>
    JSON.parse(ntfy.request({ ...call, settings, thread, nowMs }).body ?? "").sequence_id;
  expect(sequenceAt(1_000)).toMatch(/^[0-9a-f]{32}-\w+$/);
  expect(sequenceAt(1_001)).not.toBe(sequenceAt(1_000));
  expect(JSON.parse(ntfy.request({ ...call, settings }).body ?? "")).not.toHaveProperty("sequence_id");
});

test.each([{}, { sequence: 1 }, { sequence: "" }, { sequence: "../other" }, { sequence: "a/clear?x=1" }])(
  "a receipt of another form, %j, is no request",
  async (receipt) => {
    const refuse = () => Promise.reject(new Error("a request"));
    const ports = { ...createPorts(), http: { send: refuse, post: refuse } };
    const settings = ntfy.settings.parse({ topic: "a" });
    await ntfy.withdraw?.({ ...localCall(settings, {}), ports, receipt: receipt as Receipt });
  },
);

test.each([
  ["https://ntfy.sh", "minimal"],
  ["https://ntfy.example.com", "minimal"],
  ["https://[2606:4700:4700::1111]", "minimal"],
  ["http://192.168.1.5:80", "full"],
  ["http://raspberry.local", "full"],
] as const)("on %s it shows %s by default", (server, detail) => {
  expect(ntfy.detail?.(ntfy.settings.parse({ server, topic: "a" }))).toBe(detail);
});

test("on ntfy.sh the default detail is minimal", () => {
  expect(ntfy.detail?.(ntfy.settings.parse({ topic: "a" }))).toBe("minimal");
});

const nowMs = Date.parse("2026-11-20T12:00:00Z");
const requestFor = (more: object, kind = "needs-you") => {
  const message = { title: "t", body: "b", kind } as Message;
  const settings = ntfy.settings.parse({ topic: "a", ...more });
  return ntfy.request({ settings, message, isFallback: false, nowMs });
};

test.each([
  ["nobody", {}, undefined],
  ["a token", { token: "tk_1" }, "Bearer tk_1"],
  ["a user and a password", { user: "phil", password: "mypass" }, "Basic cGhpbDpteXBhc3M="], // docs.ntfy.sh/publish/#authentication
  ["the token of both", { token: "tk_1", user: "phil" }, "Bearer tk_1"],
])("logs in as %s", (_, more, authorization) => {
  expect(requestFor(more).headers?.["authorization"]).toBe(authorization);
});

test.each([
  [{}, "needs-you", 4],
  [{}, "failed", 4],
  [{}, "finished", 3],
  [{}, "info", 2],
  [{ urgent: true }, "needs-you", 5],
  [{ urgent: true }, "failed", 4],
])("with %j, %s has the priority %i", (more, kind, priority) => {
  expect(JSON.parse(requestFor(more, kind).body ?? "")).toMatchObject({ priority });
});

test.each([
  ["2026-11-20T23:30:00Z", 30 * 60_000],
  ["2026-11-20T00:00:00Z", 24 * 3_600_000],
])("a daily limit reached at %s ends at midnight, UTC", (at, retryAfterMs) => {
  for (const code of [42_905, 42_908]) {
    const reply = { status: 429, headers: {}, body: JSON.stringify({ code, http: 429 }) };
    expect(ntfy.classifyReply?.(reply, Date.parse(at))).toMatchObject({ reason: "rate-limited", retryAfterMs });
  }
});

test.each(["token", "password"])("an empty %s is refused: it would be sent as a wrong one", (name) => {
  expect(ntfy.settings.safeParse({ topic: "a", [name]: "" }).success).toBe(false);
});

test.each(["a b", "../x", "", "x".repeat(65), "ä"])("%j is not a valid topic", (topic) => {
  expect(ntfy.settings.safeParse({ topic }).success).toBe(false);
});
